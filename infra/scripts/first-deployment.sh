# shellcheck shell=bash disable=SC2034
# Steps of "Checklist of the first deployment" (docs/deployment.md), one function each. Call them one by one, in bash or
# zsh, in a stage whose data you may delete:
#   . infra/scripts/shell.sh staging; . infra/scripts/first-deployment.sh
# Each runs in a subshell that stops at the first error, so that a failed command does not look like a fault of the
# stack. At its end, it prints what must have happened, and what to correct otherwise.

expected() {
  printf '\nExpected: %s\n' "$1"
}

set_status() {
  curl -sS --fail-with-body -X PATCH "$BASE_URL/v1/jobs/$1/status" -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d "{\"status\": \"$2\"}"
}
read_application() {
  curl -sS -o /dev/null -w '%{http_code}\n' "$BASE_URL/v1/jobs/try/applications/$1" -H "Authorization: Bearer $TOKEN"
}
alarms_on() {
  aws cloudwatch describe-alarms --alarm-name-prefix "$STACK-" --state-value ALARM --alarm-types CompositeAlarm MetricAlarm \
    --query '[CompositeAlarms,MetricAlarms][][].AlarmName'
}

try_stranger() (
  set -eo pipefail
  curl -sSi "$(output BaseUrl)/v1/jobs/4007/applications/c-1002"
  sleep 60
  aws logs tail "$(resources AWS::Logs::LogGroup HttpAccessLog)" --since 10m
  expected '401 with application/problem+json, and a log line with this status, but without the path. Note whether the
response has WWW-Authenticate or x-amzn-remapped-www-authenticate, and correct the comment on REMAPPED_CHALLENGE_HEADER in
functions/contract/headers.ts.'
)

try_rule() (
  set -eo pipefail
  BASE_URL=$(output BaseUrl)
  TOKEN=$(token)
  bus=$(output EventBusName)
  table=$(output TableName)
  account=$(aws sts get-caller-identity --query Account --output text)
  queue=arn:aws:sqs:$AWS_REGION:$account:recruitment-try
  policy=$(jq -nc --arg queue "$queue" '{Policy: ({Version: "2012-10-17", Statement: [{Effect: "Allow",
    Principal: {Service: "events.amazonaws.com"}, Action: "sqs:SendMessage", Resource: $queue}]} | tojson)}')
  url=$(aws sqs create-queue --queue-name recruitment-try --attributes "$policy" --query QueueUrl --output text)
  aws events put-rule --name try --event-bus-name "$bus" --event-pattern '{"source":["recruitment"]}'
  # `put-targets` exits with 0 even if it adds no target, so read what it prints.
  aws events put-targets --rule try --event-bus-name "$bus" --targets "Id=queue,Arn=$queue" --query FailedEntries
  printf '%s\n' '{"type":"job","id":"try","status":"draft"}' '{"type":"job","id":"quote\"s\\","status":"draft"}' |
    npm run import -- - --replace --table "$table" --region "$AWS_REGION"
  set_status try published
  set_status quote%22s%5C published
  aws sqs receive-message --queue-url "$url" --wait-time-seconds 20 --max-number-of-messages 10 --query 'Messages[].Body'
  expected 'an event for the job try, and one for quote"s\. Otherwise follow docs/runbooks/events-missing.md.'
)

# Changes a job's status for 150 minutes while the pipe is stopped. Tokens expire sooner, so each turn gets a new token.
try_pipe() (
  set -eo pipefail
  BASE_URL=$(output BaseUrl)
  pipe=$(resources AWS::Pipes::Pipe)
  trap 'aws pipes start-pipe --name "$pipe"' EXIT
  aws pipes stop-pipe --name "$pipe"
  for turn in $(seq 30); do
    TOKEN=$(token)
    set_status try paused
    set_status try published
    sleep 300
  done
  alarms_on
  expected 'events-late is in ALARM, and returns to OK within five hours. If it never went to ALARM, CloudWatch probably
does not count a missing MatchedEvents as 0; if it did before the pipe stopped, a rule without targets has no such
metric. Correct infra/stack/observability/metrics.ts.'
)

try_throttle() (
  set -eo pipefail
  BASE_URL=$(output BaseUrl)
  seq 300 | xargs -P 50 -I{} curl -sS -o /dev/null -w '%{http_code}\n' "$BASE_URL/v1/jobs/try/applications/{}" |
    sort | uniq -c
  expected 'some 429, and otherwise 401. Without any 429, compare the throttle in API Gateway with
infra/stack/stages/staging.ts.'
)

try_concurrency() (
  set -eo pipefail
  BASE_URL=$(output BaseUrl)
  TOKEN=$(token)
  functions=$(resources AWS::Lambda::Function)
  trap 'echo "$functions" | while read -r function; do
    aws lambda delete-function-concurrency --function-name "$function" ||
      echo "Lambda still throttles $function. Run: aws lambda delete-function-concurrency --function-name $function" >&2
  done' EXIT
  echo "$functions" | while read -r function; do
    aws lambda put-function-concurrency --function-name "$function" --reserved-concurrent-executions 0
  done
  for minute in $(seq 15); do
    read_application none
    sleep 60
  done
  alarms_on
  expected 'outage went to ALARM within ten minutes, and you got an e-mail; another follows at OK. Otherwise correct
infra/stack/observability/alarms.ts or, without e-mails, the policy in alarm-topic.ts beside it.'
)

try_stored_data() (
  set -eo pipefail
  BASE_URL=$(output BaseUrl)
  table=$(output TableName)
  TOKEN=$(token)
  key=$(jq -nc '{pk: {S: "TENANT#default#JOB#try"}, sk: {S: "APPLICATION#broken"}}')
  trap 'aws dynamodb delete-item --table-name "$table" --key "$key"' EXIT
  aws dynamodb put-item --table-name "$table" --item "$key"
  read_application broken
  read_application broken
  sleep 300
  alarms_on
  expected '500 twice, and bugs is in ALARM. Otherwise correct the filter in infra/stack/request-metrics.ts.'
)

try_tags() (
  set -eo pipefail
  aws cognito-idp describe-user-pool --user-pool-id "$(output UserPoolId)" --query UserPool.UserPoolTags
  expected 'the tag stage. Without it, the roles cannot read the client of the pool.'
)

try_default_endpoint() (
  set -eo pipefail
  api=$(resources AWS::ApiGatewayV2::Api)
  curl -sSi "https://$api.execute-api.$AWS_REGION.amazonaws.com/v1/jobs/4007/applications/c-1002"
  expected '404. Otherwise clients can avoid the domain name: correct disableExecuteApiEndpoint in infra/stack/api.ts.'
)

try_expiry() (
  set -eo pipefail
  table=$(output TableName)
  aws dynamodb describe-continuous-backups --table-name "$table" \
    --query ContinuousBackupsDescription.PointInTimeRecoveryDescription
  aws dynamodb describe-time-to-live --table-name "$table"
  item=$(jq -nc '{pk: {S: "TENANT#default#JOB#try"}, sk: {S: "APPLICATION#expired"},
    expires_at: {N: (now - 3600 | floor | tostring)}}')
  aws dynamodb put-item --table-name "$table" --item "$item"
  expected 'both are ENABLED. In a few days, call try_expired.'
)

try_expired() (
  set -eo pipefail
  aws dynamodb get-item --table-name "$(output TableName)" \
    --key '{"pk":{"S":"TENANT#default#JOB#try"},"sk":{"S":"APPLICATION#expired"}}'
  expected 'nothing: DynamoDB has deleted the item. Otherwise correct timeToLiveAttribute in infra/stack/recruitment-table.ts.'
)

# Reads `error-budget`, which has the longest window of all alarms, and the cost of the day before, because Cost
# Explorer is a day late.
try_day() (
  set -eo pipefail
  aws cloudwatch describe-alarm-history --alarm-name "$STACK-error-budget" --output text \
    --query 'AlarmHistoryItems[].[Timestamp,HistorySummary]'
  days=$(jq -nr '"Start=\(now - 86400 | strftime("%Y-%m-%d")),End=\(now | strftime("%Y-%m-%d"))"')
  aws ce get-cost-and-usage --granularity DAILY --metrics UnblendedCost --group-by Type=DIMENSION,Key=USAGE_TYPE \
    --time-period "$days" --filter '{"Dimensions":{"Key":"SERVICE","Values":["Amazon DynamoDB"]}}'
  expected 'no error, and no INSUFFICIENT_DATA after the first OK: otherwise correct infra/stack/observability/alarms.ts. If
reads of the stream cost something, compare them with docs/cost.md and correct it.'
)

# Goes on after an error, and names at the end what it could not remove. EventBridge cannot delete a bus that has rules.
try_clean() (
  set -eo pipefail
  bus=$(output EventBusName)
  table=$(output TableName)
  kept=
  remove() {
    what=$1
    shift
    "$@" || kept="$kept- $what
"
  }
  delete_queue() {
    url=$(aws sqs get-queue-url --queue-name recruitment-try --query QueueUrl --output text) &&
      aws sqs delete-queue --queue-url "$url"
  }
  remove 'target of the rule try' aws events remove-targets --rule try --event-bus-name "$bus" --ids queue
  remove 'rule try' aws events delete-rule --name try --event-bus-name "$bus"
  remove 'queue recruitment-try' delete_queue
  for job in try quote%22s%5C; do
    remove "job $job" aws dynamodb delete-item --table-name "$table" \
      --key "{\"pk\":{\"S\":\"TENANT#default#JOB#$job\"},\"sk\":{\"S\":\"JOB\"}}"
  done
  [ -z "$kept" ] || {
    printf 'Not removed (nothing to do if the error above says that it does not exist):\n%s' "$kept" >&2
    exit 1
  }
)
