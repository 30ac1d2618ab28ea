#!/usr/bin/env bash
# Deploys the service into an emulator of AWS, from an empty account to an empty account (docs/deployment.md). Needs root, to enter a
# network namespace from which nothing can leave, and Python 3, openssl, jq, curl, PyPI and npm's registry.
# Usage: npm ci && sudo bash test/outside/deploy.sh
# It updates from the last release before HEAD, or from the commit in RELEASE.
set -Eeuo pipefail
cd "$(dirname "$0")/../.."
beside=$PWD/test/outside/deploy

# Before entering the network namespace, which has no internet: install the tools, and copy the release and the working tree.
if [ -z "${WORK:-}" ]; then
  WORK=$(mktemp -d)
  export WORK
  trap 'rm -rf "$WORK"' EXIT
  python3 -m venv "$WORK/venv"
  "$WORK/venv/bin/pip" install -q 'ministack[full]==1.5.33' awscli==1.46.3
  mkdir -p "$WORK"/{home,tmp,current,release}
  git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$WORK/current"
  release=${RELEASE:-$(git log -1 --format=%H -G'^  "version":' HEAD~ -- package.json)}
  git archive "${release:?There is no earlier release: set RELEASE to a commit.}" | tar -x -C "$WORK/release"
  npm ci --prefix "$WORK/release" --ignore-scripts --no-audit --no-fund --silent
  # The process namespace ends the emulator and the local service together with this script.
  unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0"
  exit
fi

# Inside the namespaces, every host name resolves to 127.0.0.1, and the emulator's certificate is trusted.
export PATH=$PWD/node_modules/.bin:$WORK/venv/bin:$PATH HOME=$WORK/home TMPDIR=$WORK/tmp
for each in $(compgen -e | grep -i proxy); do unset "$each"; done
ip link set lo up
echo 'nameserver 127.0.0.1' >"$WORK/resolv.conf"
echo '127.0.0.1 localhost' >"$WORK/hosts"
printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$WORK/nsswitch.conf"
for each in resolv.conf hosts nsswitch.conf; do mount --bind "$WORK/$each" "/etc/$each"; done
mkdir "$WORK/current/node_modules"
mount --bind node_modules "$WORK/current/node_modules"
names='DNS:*.amazonaws.com,DNS:*.eu-west-1.amazonaws.com,DNS:*.s3.eu-west-1.amazonaws.com'
names+=',DNS:*.queue.amazonaws.com,DNS:*.auth.eu-west-1.amazoncognito.com,DNS:*.execute-api.localhost,DNS:localhost,IP:127.0.0.1'
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$WORK/ca.key" -out "$WORK/ca.pem" -days 1 -subj /CN=throw-away 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$WORK/key.pem" -out "$WORK/cert.pem" -days 1 -subj /CN=emulator \
  -CA "$WORK/ca.pem" -CAkey "$WORK/ca.key" -addext "subjectAltName=$names" -addext basicConstraints=CA:FALSE 2>/dev/null
export AWS_CA_BUNDLE=$WORK/ca.pem NODE_EXTRA_CA_CERTS=$WORK/ca.pem CURL_CA_BUNDLE=$WORK/ca.pem SSL_CERT_FILE=$WORK/ca.pem
# PyPI has only version 1 of the CLI, which reads AWS_DEFAULT_REGION, and not AWS_REGION.
export AWS_REGION=eu-west-1 AWS_DEFAULT_REGION=eu-west-1 AWS_ACCESS_KEY_ID=admin AWS_SECRET_ACCESS_KEY=admin CDK_DISABLE_CLI_TELEMETRY=true
export ACCOUNT=111122223333 REPOSITORY=example@1/service@2 TENANT=default
export SLOW=$WORK/slow
# Empty, because the stack's user pool issues the tokens of the smoke test.
export TOKEN_ENDPOINT='' CLIENT_ID='' CLIENT_SECRET='' TOKEN_PARAMETERS='' SMOKE_FILE=''
MINISTACK_ACCOUNT_ID=$ACCOUNT MINISTACK_REGION=$AWS_REGION USE_SSL=1 MINISTACK_SSL_CERT=$WORK/cert.pem MINISTACK_SSL_KEY=$WORK/key.pem \
  GATEWAY_PORT=4566 AUTH=true BIND_HOST=127.0.0.1 python "$beside/emulator.py" >"$WORK/emulator.log" 2>&1 &
emulator=$!
until curl -s -o "$WORK/log" https://sts.amazonaws.com/_ministack/health; do
  kill -0 "$emulator"
  sleep 0.5
done
cd "$WORK/current"

at=start
exec 3>&2
failed() {
  # After an error in a subshell, the shell around it fails too. Only the first to fail reports.
  mkdir "$WORK/failed" || exit 1
  echo "FAILED  $at, at line $1 of test/outside/deploy.sh. The last lines of its output:" >&3
  tail -30 "$WORK/log" >&3
  exit 1
}
trap 'failed $LINENO' ERR

# step NAME FUNCTION [ARGUMENT …]: runs a step and prints what it proved, which is the last line of its output.
step() {
  at=$1
  local start=$SECONDS
  "${@:2}" >"$WORK/log" 2>&1
  printf 'ok %4d s  %s: %s\n' $((SECONDS - start)) "$at" "$(tail -1 "$WORK/log")"
}

# answer CHECKOUT: fills in the settings that the stages leave open, and lets a page of app.example.com use dev.
answer() {
  find "$1/infra" -name '*.ts' -print0 | xargs -0 sed -i \
    -e "s/settings: {}/settings: { issuer: 'cognito', tenantClaim: 'none', alarmEmail: 'ops@example.com', region: 'eu-west-1' }/" \
    -e "s|region: 'any',|& corsOrigins: 'https://app.example.com',|"
}

# page HEADING N: runs the Nth `sh` block under that heading of docs/deployment.md, without prompts and without `npm ci`.
page() {
  local code
  code=$(awk -v heading="$1" -v number="$2" '/^##/ { sub(/^#+ /, ""); inside = $0 == heading } inside && /^ *```$/ { block = 0 }
    block && n == number; inside && /^ *```sh$/ { block = 1; n++ }' "$WORK/current/docs/deployment.md" |
    sed 's/^   //; /^npm ci$/d; s/npx cdk deploy/& --require-approval never/; s/npx cdk destroy/& --force/
      s/delete-stage.sh prod/& --yes RecruitmentService-prod/')
  [ -n "$code" ] || return
  echo "$code"
  eval "$code"
}

# keys_of ROLE ENVIRONMENT: prints the temporary credentials that a workflow gets in a GitHub environment.
keys_of() {
  local token
  token=$(jq -rn --arg sub "repo:$REPOSITORY:environment:$2" \
    '[{alg: "none"}, {iss: "https://token.actions.githubusercontent.com", aud: "sts.amazonaws.com", $sub}]
      | map(tojson | @base64 | gsub("="; "")) | join(".") + "."')
  aws sts assume-role-with-web-identity --role-arn "arn:aws:iam::$ACCOUNT:role/$1" --role-session-name test \
    --web-identity-token "$token" --query Credentials
}

# with KEYS COMMAND …: runs a command with temporary credentials.
with() (
  AWS_ACCESS_KEY_ID=$(jq -r .AccessKeyId <<<"$1") AWS_SECRET_ACCESS_KEY=$(jq -r .SecretAccessKey <<<"$1")
  AWS_SESSION_TOKEN=$(jq -r .SessionToken <<<"$1")
  export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
  "${@:2}"
)

# deploy STAGE SMOKE_TEST [OPTION …]: synthesizes and runs deploy.sh with the stage's role, as the workflow does.
deploy() {
  CDK_VALIDATION=false npx cdk synth --quiet --strict -c "stage=$1" "${@:3}" --output "dist/assembly/$1"
  with "$(keys_of "recruitment-deploy-$1" "$1")" env STAGE="$1" SMOKE_TEST="$2" bash infra/scripts/deploy.sh
}

fails() {
  local code=0
  "$@" || code=$?
  [ "$code" = 1 ]
}

# served_by VERSION VERSION: calls both operations, and fails unless these versions of their functions succeed.
served_by() {
  local TOKEN url
  TOKEN=$(token)
  url=$(output BaseUrl)/v1/jobs
  served GetApplication "$1" '"user_id":"c-1002"' "$url/4007/applications/c-1002"
  served UpdateJobStatus "$2" '{"success":true}' "$url/gh%3A4007/status" -X PATCH -H 'Content-Type: application/json' \
    -d '{"status": "published"}'
}
served() {
  local start
  curl -sSi -w "\n" "${@:4}" -H "Authorization: Bearer $TOKEN" | tee "$WORK/response"
  grep -qF "$3" "$WORK/response"
  # ministack logs the start before it responds; under load, the function's own line comes only later.
  start=$(aws logs filter-log-events --log-group-name "$(resources AWS::Logs::LogGroup "$1")" --filter-pattern '"START RequestId"' \
    --query 'events[-1].message' --output text)
  echo "$1 should answer from version $2: $start"
  [[ $start = *" Version: $2" ]]
}

status() {
  aws cloudformation describe-stacks --stack-name "$STACK" --query 'Stacks[0].StackStatus' --output text
}

list() {
  aws "${@:2}" --output text | tr '\t' '\n' | sed "/^\(None\)\?$/d; s|^|$1 |"
}

inventory() {
  resources_of_account | sort
}
resources_of_account() {
  list AWS::ApiGatewayV2::Api apigatewayv2 get-apis --query 'Items[].ApiId'
  list AWS::CloudWatch::Alarm cloudwatch describe-alarms --query 'MetricAlarms[].AlarmName'
  list AWS::Cognito::UserPool cognito-idp list-user-pools --max-results 60 --query 'UserPools[].Name'
  list AWS::DynamoDB::Table dynamodb list-tables --query 'TableNames[]'
  list AWS::Events::Archive events list-archives --query 'Archives[].ArchiveName'
  list AWS::Events::EventBus events list-event-buses --query "EventBuses[?Name!='default'].Name"
  list AWS::IAM::Role iam list-roles --query 'Roles[].RoleName'
  for each in $(aws kms list-keys --query 'Keys[].KeyId' --output text); do
    list AWS::KMS::Key kms describe-key --key-id "$each" --query "[KeyMetadata][?KeyState!='PendingDeletion'].KeyId"
  done
  list AWS::Lambda::Function lambda list-functions --query 'Functions[].FunctionName'
  list AWS::Logs::LogGroup logs describe-log-groups --query 'logGroups[].logGroupName'
  list AWS::Pipes::Pipe pipes list-pipes --query 'Pipes[].Name'
  list AWS::SNS::Topic sns list-topics --query 'Topics[].TopicArn'
  list AWS::SQS::Queue sqs list-queues --query 'QueueUrls[]'
}

bootstrap() {
  page 'From an empty account to the first response' 1
  page 'From an empty account to the first response' 2
  for stage in dev prod prod; do STAGE=$stage bash infra/scripts/deploy-role.sh; done
  inventory >"$WORK/empty"
  grep -c . "$WORK/empty"
  echo "the account is ready, and deploy-role.sh works twice"
}

import_sample() {
  page 'From an empty account to the first response' 5 | tee "$WORK/imported"
  grep -q '^3 jobs and 11 applications .* 0 lines refused\.$' "$WORK/imported"
}

first_response() {
  for block in 3 4; do page 'From an empty account to the first response' $block; done
  import_sample
  page 'From an empty account to the first response' 6 >"$WORK/response"
  cat "$WORK/response"
  grep -q '^HTTP.* 200' "$WORK/response"
  grep -q '"user_id":"c-1002"' "$WORK/response"
  for block in 7 8; do page 'From an empty account to the first response' $block; done
  diff "$WORK/empty" <(inventory)
  echo "the page's eight steps, and nothing is left"
}

first_deployment() {
  deploy "$1" after
  . infra/scripts/shell.sh "$1"
  import_sample
  served_by 1 1
  echo "deploy.sh with SMOKE_TEST=after, as recruitment-deploy-$1"
}

# The stack's creation fails at its last resource, and leaves behind the key and what has deletion protection.
first_fails() {
  . infra/scripts/shell.sh prod
  fails_at_last npx cdk deploy -c stage=prod --require-approval never
  [ "$(status)" = ROLLBACK_COMPLETE ]
  fails diff "$WORK/empty" <(inventory)
  page 'If the first deployment of `prod` fails' 1
  diff "$WORK/empty" <(inventory)
  echo "a creation that fails leaves nothing after delete-stage.sh"
}

no_change() {
  deploy "$1" none
  grep -q '(no changes)' "$WORK/log"
  . infra/scripts/shell.sh "$1"
  served_by 1 1
  echo "a second deployment with SMOKE_TEST=none changes nothing"
}

# change STAGE SMOKE_TEST VERSION VERSION
change() {
  . infra/scripts/shell.sh "$1"
  deploy "$1" "$2" -c transitionPolicy=lifecycle
  served_by "$3" "$4"
  echo "a change with SMOKE_TEST=$2 gives both functions a new version"
}

# Without deploy.sh, which would move an alias that CloudFormation leaves behind.
change_by_hand() {
  . infra/scripts/shell.sh "$1"
  npx cdk deploy -c "stage=$1" -c transitionPolicy=lifecycle --require-approval never
  served_by 2 2
  echo "a change without deploy.sh gives both functions a new version"
}

# Makes a function fail in AWS, but not while it is built.
break_function() {
  echo "if (process.env.TABLE_NAME?.startsWith('Rec')) throw new Error('$1');" >>functions/operations/get-application/handler.ts
}

sent_back() {
  cp functions/operations/get-application/handler.ts "$WORK/working.ts"
  break_function one
  fails deploy dev beside
  grep -q 'the previous function versions have the traffic' "$WORK/log"
  served_by 2 2
  cp "$WORK/working.ts" functions/operations/get-application/handler.ts
  deploy dev after
  # When the failing function was deployed, the other one got version 3, and has not changed since.
  served_by 4 3
  echo "a function that fails is deployed, and sent back by deploy.sh; its fix is deployed, with the other function"
}

stopped() {
  break_function two
  touch "$SLOW"
  fails deploy dev beside
  grep -q 'so the deployment was rolled back' "$WORK/log"
  cp "$WORK/working.ts" functions/operations/get-application/handler.ts
  served_by 4 3
  [ "$(status)" = UPDATE_ROLLBACK_COMPLETE ]
  fails bash infra/scripts/stop-deployment.sh "$STACK"
  tail -1 "$WORK/log" | grep -q 'nothing was stopped'
  echo "a function that fails during a deployment is noticed, and the update stopped and rolled back; nothing is left to stop"
}

# fails_at_last COMMAND …: expects the command to fail at the stack's last resource, whose log group does not exist.
fails_at_last() {
  cp infra/app.ts "$WORK/app.ts"
  cat >>infra/app.ts <<'END'
import { CfnResource } from 'aws-cdk-lib';
const all = app.node.findAll().filter((each) => CfnResource.isCfnResource(each));
const metric = { MetricName: 'none', MetricNamespace: 'none', MetricValue: '1' };
const properties = { LogGroupName: 'none', FilterPattern: '', MetricTransformations: [metric] };
const last = new CfnResource(all[0].stack, 'Fails', { type: 'AWS::Logs::MetricFilter', properties });
for (const each of all) if (each.cfnResourceType === 'AWS::Lambda::Alias') last.addDependency(each);
END
  fails "$@"
  cp "$WORK/app.ts" infra/app.ts
}

rolled_back() {
  fails_at_last deploy dev after -c transitionPolicy=lifecycle
  [ "$(status)" = UPDATE_ROLLBACK_COMPLETE ]
  served_by 4 3
  TOKEN=$(token) npm run smoke -- --base-url "$(output BaseUrl)" --table "$(output TableName)" --region "$AWS_REGION"
  change dev after 7 5
  echo "an update that fails is rolled back, the smoke test passes, and the next deployment succeeds"
}

send() {
  curl -sS -X PATCH "$(output BaseUrl)/v1/jobs/$1/status" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -d "{\"status\": \"$2\"}"
}

received() {
  aws sqs receive-message --queue-url "$1" --wait-time-seconds 5 --max-number-of-messages 10 --query 'Messages[].Body' |
    jq -c '.[]? | fromjson'
}

events() {
  local bus queue TOKEN
  bus=$(output EventBusName)
  queue=$(aws sqs create-queue --queue-name events --query QueueUrl --output text)
  aws events put-rule --name try --event-bus-name "$bus" --event-pattern '{"source": ["recruitment"]}'
  aws events put-targets --rule try --event-bus-name "$bus" --targets "Id=queue,Arn=arn:aws:sqs:$AWS_REGION:$ACCOUNT:events"
  for each in draft published; do
    jq -nc --arg status $each '("try", "quote\"s\\") | {type: "job", id: ., $status}' |
      npm run -s import -- - --replace --table "$(output TableName)" --region "$AWS_REGION"
  done
  [ -z "$(received "$queue")" ]
  TOKEN=$(token)
  send try paused
  send try paused
  send quote%22s%5C closed
  for _ in 1 2; do received "$queue"; done >"$WORK/events"
  [ "$(jq -r '.detail | "\(.job_id) \(.from) \(.to) \(.sequence)"' "$WORK/events" | sort)" = 'quote"s\ published closed 3
try published paused 3' ]
  jq -c .detail "$WORK/events" | while read -r event; do
    python -m jsonschema --instance /dev/stdin docs/job-status-changed.schema.json <<<"$event"
  done
  aws events remove-targets --rule try --event-bus-name "$bus" --ids queue
  aws events delete-rule --name try --event-bus-name "$bus"
  aws sqs delete-queue --queue-url "$queue"
  echo "two changes make two valid events; two imports and a repeated change make none"
}

# Looks at the target of the rule that counts events, because ministack has no metrics.
counted() {
  local queue TOKEN
  queue=$(resources AWS::SQS::Queue ObservabilityPublishedEvents)
  TOKEN=$(token)
  send gh%3A4007 paused
  for _ in 1 2 3; do received "$queue"; done >"$WORK/events"
  cat "$WORK/events"
  jq -se 'any(.detail.job_id == "gh:4007" and .detail.to == "paused")' "$WORK/events"
  echo "the event of a status change reaches the target of the rule that counts events"
}

browsers() {
  local TOKEN
  TOKEN=$(token)
  from app.example.com -X OPTIONS -H 'Access-Control-Request-Method: PATCH'
  header allow-origin https://app.example.com
  header allow-methods PATCH
  header allow-headers Authorization
  from app.example.com -H "Authorization: Bearer $TOKEN"
  grep '^HTTP.* 200' "$WORK/response"
  header allow-origin https://app.example.com
  header expose-headers ETag
  from other.example.com -H "Authorization: Bearer $TOKEN"
  fails grep -i '^access-control-allow-origin' "$WORK/response"
  echo "a page of the allowed origin may read a response, with ETag, and send a PATCH; another page may read nothing"
}
from() {
  curl -sSi -w "\n" "$(output BaseUrl)/v1/jobs/4007/applications/c-1002" -H "Origin: https://$1" "${@:2}" | tee "$WORK/response"
}
header() {
  grep -i "^access-control-$1: .*$2" "$WORK/response"
}

# allowed ROLE RESOURCE ACTION …: simulates the policies of one of the stack's roles.
allowed() {
  local denied
  denied=$(aws iam simulate-principal-policy --policy-source-arn "arn:aws:iam::$ACCOUNT:role/$(resources AWS::IAM::Role "$1")" \
    --context-entries "ContextKeyName=kms:ViaService,ContextKeyValues=dynamodb.$AWS_REGION.amazonaws.com,ContextKeyType=string" \
    --resource-arns "$2" --action-names "${@:3}" --query "EvaluationResults[?EvalDecision!='allowed'].EvalActionName" --output text)
  echo "$1 may not do this on $2: ${denied:-nothing}"
  [ -z "$denied" ]
}

# Simulated, because ministack lets API Gateway, log writes and the pipe do everything, and does not encrypt.
permissions() {
  local operation key role
  for operation in GetApplication UpdateJobStatus; do
    aws lambda get-policy --function-name "$(resources AWS::Lambda::Function $operation)" --qualifier live --query Policy --output text |
      jq -e --arg api "arn:aws:execute-api:$AWS_REGION:$ACCOUNT:$(resources AWS::ApiGatewayV2::Api)/" '.Statement[]
        | select(.Principal.Service == "apigateway.amazonaws.com" and .Action == "lambda:InvokeFunction")
        | .Condition.ArnLike["AWS:SourceArn"] | startswith($api)'
    allowed $operation "arn:aws:logs:$AWS_REGION:$ACCOUNT:log-group:$(resources AWS::Logs::LogGroup $operation):*" \
      logs:CreateLogStream logs:PutLogEvents
  done
  allowed EventsPipe "$(aws dynamodb describe-table --table-name "$(output TableName)" --query Table.LatestStreamArn --output text)" \
    dynamodb:DescribeStream dynamodb:GetRecords dynamodb:GetShardIterator
  allowed EventsPipe "arn:aws:events:$AWS_REGION:$ACCOUNT:event-bus/$(output EventBusName)" events:PutEvents
  allowed EventsPipe "arn:aws:sqs:$AWS_REGION:$ACCOUNT:$(basename "$(output EventDeadLetterQueueUrl)")" sqs:SendMessage
  key=$(resources AWS::KMS::Key)
  [ -z "$key" ] || key=$(aws kms describe-key --key-id "$key" --query KeyMetadata.Arn --output text)
  for role in ${key:+GetApplication UpdateJobStatus EventsPipe}; do
    allowed "$role" "$key" kms:Decrypt
  done
  [ -z "$key" ] || allowed UpdateJobStatus "$key" kms:DescribeKey kms:Encrypt kms:ReEncryptFrom kms:ReEncryptTo kms:GenerateDataKey \
    kms:GenerateDataKeyWithoutPlaintext
  echo "API Gateway, the functions' logs and the pipe have the permissions that they need${key:+, all three also for the key}"
}

requests() {
  local deployed laptop client state=$WORK/local/service.json
  local broken='{"pk": {"S": "TENANT#default#JOB#4007"}, "sk": {"S": "APPLICATION#broken"}}'
  PORT=3000 npm start -- --data "$WORK/local" -c transitionPolicy=lifecycle >"$WORK/local.log" 2>&1 &
  until grep -q 'listens on' "$WORK/local.log"; do
    kill -0 $!
    sleep 1
  done
  aws dynamodb put-item --table-name "$(output TableName)" --item "$broken"
  AWS_ACCESS_KEY_ID=local aws dynamodb put-item --table-name "$(jq -r .tableName "$state")" --item "$broken" \
    --endpoint-url "$(jq -r .databaseEndpoint "$state")"
  client=$(aws cognito-idp describe-user-pool-client --user-pool-id "$(output UserPoolId)" --client-id "$(output ClientId)" \
    --query 'join(`:`, [UserPoolClient.ClientId, UserPoolClient.ClientSecret])' --output text)
  deployed=$(jq -nc --arg url "$(output BaseUrl)" --arg token "$(token)" \
    --arg reader "$(request_token "$(output TokenEndpoint)" "$client" scope=recruitment/applications:read)" '$ARGS.named')
  laptop=$(jq -nc --arg url "$(jq -r .baseUrl "$state")" --arg token "$(npm run -s token -- --data "$WORK/local")" \
    --arg reader "$(npm run -s token -- --data "$WORK/local" --scope applications:read)" '$ARGS.named')
  node "$beside/compare.ts" "{\"deployed\": $deployed, \"local\": $laptop}"
}

# denied COMMAND …: passes if AWS refuses the command with the credentials in `keys`.
denied() {
  local code=0
  with "$keys" aws "$@" >"$WORK/denied" 2>&1 || code=$?
  cat "$WORK/denied"
  [ "$code" != 0 ]
  grep -qiE 'AccessDenied|not authorized' "$WORK/denied"
  count=$((count + 1))
}

denials() {
  local keys table other function bucket key role count=0
  table=$(output TableName)
  function=$(resources AWS::Lambda::Function GetApplication)
  bucket=cdk-hnb659fds-assets-$ACCOUNT-$AWS_REGION
  key='{"pk": {"S": "TENANT#default#JOB#4007"}, "sk": {"S": "JOB"}}'
  other=RecruitmentService-prod-other
  aws dynamodb create-table --table-name $other --billing-mode PAY_PER_REQUEST --key-schema AttributeName=pk,KeyType=HASH \
    AttributeName=sk,KeyType=RANGE --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=sk,AttributeType=S
  for role in GetApplication UpdateJobStatus deploy-dev:dev; do
    case $role in
      *:*) keys=$(keys_of "recruitment-${role%:*}" "${role#*:}") ;;
      *) keys=$(aws sts assume-role --role-session-name test --query Credentials \
        --role-arn "arn:aws:iam::$ACCOUNT:role/$(resources AWS::IAM::Role $role)") ;;
    esac
    with "$keys" aws sts get-caller-identity
    denied dynamodb scan --table-name "$table"
    denied dynamodb query --table-name "$table" --key-condition-expression pk=:pk --expression-attribute-values '{":pk": {"S": "a"}}'
    denied dynamodb put-item --table-name "$table" --item "$key"
    denied dynamodb delete-item --table-name "$table" --key "$key"
    denied dynamodb batch-write-item --request-items "{\"$table\": [{\"DeleteRequest\": {\"Key\": $key}}]}"
    denied dynamodb batch-write-item --request-items "{\"$other\": [{\"DeleteRequest\": {\"Key\": $key}}]}"
    denied dynamodb get-item --table-name $other --key "$key"
    denied dynamodb update-item --table-name $other --key "$key"
    [ $role = GetApplication ] || denied dynamodb get-item --table-name "$table" --key "$key"
    [ $role = UpdateJobStatus ] || denied dynamodb update-item --table-name "$table" --key "$key"
    denied lambda invoke --function-name "$function" "$WORK/body"
    denied lambda update-alias --function-name RecruitmentService-prod-other --name live --function-version 1
    denied s3api get-object --bucket "$bucket" --key any "$WORK/body"
    denied cloudformation describe-stacks --stack-name CDKToolkit
    denied iam create-user --user-name any
  done
  # This Cognito client belongs to another stage.
  keys=$(keys_of recruitment-deploy-prod prod)
  denied cognito-idp describe-user-pool-client --user-pool-id "$(output UserPoolId)" --client-id "$(output ClientId)"
  # Jobs in another environment do not get the role.
  ! keys_of recruitment-deploy-dev prod 2>"$WORK/denied"
  grep -q 'Not authorized to perform sts:AssumeRoleWithWebIdentity' "$WORK/denied"
  aws dynamodb delete-table --table-name $other
  echo "$count requests of the functions' and the deploy roles are refused, and the role to a job in another environment"
}

# Does what probe.yml does.
probe() {
  local client secret token
  client=$(output ProbeClientId)
  secret=$(aws cognito-idp describe-user-pool-client --user-pool-id "$(output UserPoolId)" --client-id "$client" \
    --query UserPoolClient.ClientSecret --output text)
  token=$(request_token "$(output TokenEndpoint)" "$client:$secret")
  TOKEN=$token npm run -s smoke -- --base-url "$(output BaseUrl)"
  echo "the probe passes, with the claims $(jq -cRr 'split(".")[1] | gsub("-"; "+") | gsub("_"; "/") | @base64d' <<<"$token")"
}

stored() {
  aws dynamodb scan --table-name "$(output TableName)" | jq -S '.Items | sort_by(.pk.S, .sk.S)'
}

# Prints the outputs, and the ids of resources that hold data or have an address.
identity() {
  outputs_and_ids | sort
}
outputs_and_ids() {
  aws cloudformation describe-stacks --stack-name "$STACK" | jq -r '.Stacks[0].Outputs[] | "\(.OutputKey) \(.OutputValue)"'
  for type in AWS::ApiGatewayV2::Api AWS::Cognito::UserPool AWS::DynamoDB::Table AWS::Events::EventBus AWS::KMS::Key AWS::SQS::Queue; do
    resources $type | sed "s|^|$type |"
  done
}

# update STAGE: deploys the release, imports the sample data, then deploys this version.
update() {
  local url TOKEN poll versions
  (
    cd "$WORK/release"
    npx cdk deploy -c "stage=$1" --require-approval never
    . "$WORK/current/infra/scripts/shell.sh" "$1"
    import_sample
  )
  . infra/scripts/shell.sh "$1"
  url=$(output BaseUrl)/v1/jobs/4007/applications/c-1002
  TOKEN=$(token)
  stored >"$WORK/stored"
  identity >"$WORK/identity"
  while sleep 0.2; do
    curl -s -o "$WORK/body" -w '%{http_code}\n' "$url" -H "Authorization: Bearer $TOKEN"
  done >"$WORK/codes" &
  poll=$!
  deploy "$1" after
  kill $poll
  diff "$WORK/stored" <(stored)
  # The update may add addresses and ids, but must keep the old ones.
  diff /dev/null <(identity | comm -23 "$WORK/identity" -)
  [ "$(sort -u "$WORK/codes")" = 200 ]
  # If a function's version has the same id in both templates, it stays.
  versions=$(jq -rs '[.[].Resources | with_entries(select(.value.Type == "AWS::Lambda::Version")) | keys] as [$old, $new]
    | $new[] | if IN($old[]) then 1 else 2 end' {"$WORK/release/cdk.out",dist/assembly/"$1"}/"$STACK.template.json" | xargs)
  # shellcheck disable=SC2086
  served_by $versions
  echo "from $(jq -r .version "$WORK/release/package.json"): the same $(jq length "$WORK/stored") items and" \
    "$(grep -c . "$WORK/identity") addresses and ids, $(grep -c . "$WORK/codes") requests got 200, and the functions have" \
    "the versions $versions"
}

# recorded NAME ARGUMENT_OF_AWS …
recorded() {
  echo "$1: $(aws "${@:2}" --output text | xargs)"
}

# Reads back the safeguards that ministack records (docs/first-deployment.md has the others).
protections() {
  local topic
  topic=$(output AlarmTopicArn)
  {
    recorded 'termination protection' cloudformation describe-stacks --stack-name "$STACK" --query 'Stacks[0].EnableTerminationProtection'
    recorded 'deletion protection' dynamodb describe-table --table-name "$(output TableName)" --query Table.DeletionProtectionEnabled
    recorded 'deletion protection' cognito-idp describe-user-pool --user-pool-id "$(output UserPoolId)" --query UserPool.DeletionProtection
    recorded 'access log' apigatewayv2 get-stages --api-id "$(resources AWS::ApiGatewayV2::Api)" --query 'Items[].AccessLogSettings.DestinationArn'
    recorded 'days of logs' logs describe-log-groups --query 'logGroups[].retentionInDays'
    recorded 'alarms that notify' cloudwatch describe-alarms \
      --query "sort(MetricAlarms[?AlarmActions[0]=='$topic'].AlarmName)"
  } >"$WORK/recorded"
  # Without certificate-ends, which only stacks with a domain name have.
  diff - "$WORK/recorded" <<END
termination protection: True
deletion protection: True
deletion protection: ACTIVE
access log: arn:aws:logs:$AWS_REGION:$ACCOUNT:log-group:$(resources AWS::Logs::LogGroup HttpAccessLog):*
days of logs: 180 180 180 180
alarms that notify: $(sed -n "/^## certificate-ends$/d; s/^## \([a-z0-9-]*\)$/$STACK-\1/p" docs/runbooks/alarms.md | sort | xargs)
END
  echo "termination and deletion protection, access log, retention and the actions of alarms are as in the stage's file"
}

removed() {
  npx cdk destroy -c "stage=$1" --force
  diff "$WORK/empty" <(inventory)
  echo "nothing is left"
}

removed_prod() {
  local table
  fails bash infra/scripts/delete-stage.sh prod --yes "$STACK"
  table=$(output TableName)
  page 'Delete `prod`' 1
  inventory | comm -13 "$WORK/empty" - >"$WORK/left"
  grep "^AWS::DynamoDB::Table $table$" "$WORK/left"
  page 'Delete `prod`' 2
  diff "$WORK/empty" <(inventory)
  echo "delete-stage.sh refuses the running stack, and deletes the $(grep -c . "$WORK/left") resources that outlive it"
}

answer "$WORK/current"
answer "$WORK/release"
step "cdk bootstrap" bootstrap
step "the page's first response" first_response
step "dev, first" first_deployment dev
step "dev, again" no_change dev
step "dev, change" change dev beside 2 2
step "dev, broken" sent_back
step "dev, stopped" stopped
step "dev, rollback" rolled_back
step "dev, events" events
step "dev, browsers" browsers
step "dev, permissions" permissions
step "dev, requests" requests
step "dev, denials" denials
step "dev, removed" removed dev
step "prod, first fails" first_fails
step "prod, first" first_deployment prod
step "prod, change" change_by_hand prod
step "prod, permissions" permissions
step "prod, counted events" counted
step "prod, protections" protections
step "prod, probe" probe
step "prod, removed" removed_prod
step "prod, update" update prod
