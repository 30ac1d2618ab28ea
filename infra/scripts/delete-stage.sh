#!/usr/bin/env bash
# Deletes what remains of a stage, with all data, after its stack was deleted or its first deployment failed:
#   AWS_REGION=eu-west-1 bash infra/scripts/delete-stage.sh prod [--yes RecruitmentService-prod]
#
# Lists what it will delete, and asks for the stack's name unless --yes gives it. Refuses while the stack is in any
# other state, because its table may be in use, and while another table still needs the key. If it fails midway, run it
# again. If several stacks of this name were deleted, it sees only the newest. With nothing left to delete, it only lets
# the next deployment replace a failed stack.
set -euo pipefail
# shellcheck source=infra/scripts/shell.sh
. "$(dirname "$0")/shell.sh" "${1:?Name the stage, such as prod.}"

# CloudFormation lists deleted stacks for 90 days; the newest counts.
newest=$(aws cloudformation list-stacks --output text \
  --query "StackSummaries[?StackName=='$STACK'].[CreationTime,StackStatus,StackId]" | sort | tail -1)
read -r _ state id <<<"$newest"
case $state in
  DELETE_COMPLETE | ROLLBACK_COMPLETE | ROLLBACK_FAILED) ;;
  *)
    echo "Nothing was deleted, because the stack $STACK is ${state:-not known in $AWS_REGION}." >&2
    exit 1
    ;;
esac

types='Cognito::UserPool(Domain)?|DynamoDB::Table|Events::(Archive|EventBus)|KMS::Key|Logs::LogGroup|SQS::Queue'
left=$(aws cloudformation describe-stack-events --stack-name "$id" --output text \
  --query "StackEvents[?ResourceStatus=='DELETE_SKIPPED'].[ResourceType,PhysicalResourceId]" |
  awk -v types="^AWS::($types)\$" '$1 ~ types' | sort -u)
echo "The stack $STACK is $state, and left in $AWS_REGION:"
echo "${left:-nothing}"
names() {
  awk -v type="AWS::$1" '$1 == type { print $2 }' <<<"$left"
}
key=$(names KMS::Key)
if [ -n "$key" ]; then
  for table in $(aws dynamodb list-tables --output text --query 'TableNames[]'); do
    [ "$table" != "$(names DynamoDB::Table)" ] || continue
    encrypted=$(aws dynamodb describe-table --table-name "$table" --output text --query Table.SSEDescription.KMSMasterKeyArn)
    if [[ $encrypted == */$key ]]; then
      echo "Nothing was deleted, because the table $table needs the stack's key. Export it, and delete it first." >&2
      exit 1
    fi
  done
fi
if [ -n "$left" ]; then
  typed=${3:-}
  [ "${2:-}" = --yes ] || read -rp "To delete all of this, type $STACK: " typed || true
  if [ "$typed" != "$STACK" ]; then
    echo 'Nothing was deleted.' >&2
    exit 1
  fi
fi

# each TYPE COMMAND …: runs an AWS command for each resource of a type. An earlier run may already have deleted it.
each() {
  local name message
  local done='NotFound|NonExistentQueue|QueueDoesNotExist|No such domain|pending deletion'
  for name in $(names "$1"); do
    echo "aws ${*:2} $name"
    if ! message=$(aws "${@:2}" "$name" 2>&1) && ! [[ $message =~ $done ]]; then
      echo "$message" >&2
      return 1
    fi
  done
}
each Events::Archive events delete-archive --archive-name
# EventBridge refuses to delete a bus that has rules.
each Events::EventBus events delete-event-bus --name
each SQS::Queue sqs delete-queue --queue-url
each Logs::LogGroup logs delete-log-group --log-group-name
pool=$(names Cognito::UserPool)
each Cognito::UserPoolDomain cognito-idp delete-user-pool-domain --user-pool-id "$pool" --domain
each Cognito::UserPool cognito-idp update-user-pool --deletion-protection INACTIVE --user-pool-id
each Cognito::UserPool cognito-idp delete-user-pool --user-pool-id
each DynamoDB::Table dynamodb update-table --no-deletion-protection-enabled --table-name
each DynamoDB::Table dynamodb delete-table --table-name
# Last, because without it nobody can read the logs, the table or its backups.
each KMS::Key kms schedule-key-deletion --key-id
# Lets the next deployment replace a failed stack.
[ "$state" = DELETE_COMPLETE ] ||
  aws cloudformation update-termination-protection --stack-name "$STACK" --no-enable-termination-protection
