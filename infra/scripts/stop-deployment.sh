#!/usr/bin/env bash
# Stops the update of a stack and rolls it back: bash infra/scripts/stop-deployment.sh RecruitmentService-prod
#
# Stops the rollouts in progress, so that CodeDeploy gives all traffic back to the previous function versions and
# CloudFormation rolls back the stack. Without a rollout, cancels the update. Exits with 0 only if it has itself seen an
# update roll back: a stack may have been in UPDATE_ROLLBACK_COMPLETE for months.
set -euo pipefail
stack=$1
# shellcheck source=infra/scripts/shell.sh
. "$(dirname "$0")/shell.sh" "${stack#RecruitmentService-}"

status() {
  aws cloudformation describe-stacks --stack-name "$stack" --output text --query "Stacks[0].StackStatus"
}

# Prints the ids of rollouts in progress, except rollbacks, which CodeDeploy itself starts.
rollouts() {
  local application groups group ids id
  # `set -e` has no effect in a command substitution, hence the explicit returns.
  application=$(resources AWS::CodeDeploy::Application) || return
  groups=$(resources AWS::CodeDeploy::DeploymentGroup) || return
  for group in $groups; do
    ids=$(aws deploy list-deployments --application-name "$application" --deployment-group-name "$group" \
      --include-only-statuses Created Queued InProgress --output text --query deployments) || return
    for id in $ids; do
      aws deploy get-deployment --deployment-id "$id" --output text \
        --query "deploymentInfo.[creator,deploymentId]" | awk '$1 == "CloudFormation" { print $2 }' || return
    done
  done
}

current=$(status)
first=$current
stopped=
# One function's rollout may begin after the other's was stopped, so look again until the update ends.
while [ "$current" = UPDATE_IN_PROGRESS ]; do
  ids=$(rollouts)
  for id in $ids; do
    aws deploy stop-deployment --deployment-id "$id" --auto-rollback-enabled
    stopped=$id
  done
  if [ -z "$stopped" ]; then
    stopped=update
    # CloudFormation refuses the cancellation if the update has just ended.
    aws cloudformation cancel-update-stack --stack-name "$stack" || true
  fi
  sleep 5
  current=$(status)
done
while [[ "$current" = *_IN_PROGRESS ]]; do
  sleep 5
  current=$(status)
done
if [[ "$first" != *_IN_PROGRESS ]]; then
  echo "$stack: $current. No update is in progress, so nothing was stopped."
  exit 1
fi
echo "$stack: $current"
[ "$current" = UPDATE_ROLLBACK_COMPLETE ]
