#!/usr/bin/env bash
# Stops the update of a stack and rolls it back: bash infra/scripts/stop-deployment.sh RecruitmentService-prod
#
# CodeDeploy gives all traffic back to the previous versions, and CloudFormation then rolls back the stack. If no
# traffic is shifting yet, or none has to, CloudFormation cancels the update.
set -euo pipefail
stack=$1
# shellcheck source=infra/scripts/shell.sh
. "$(dirname "$0")/shell.sh" "${stack#RecruitmentService-}"

status() {
  aws cloudformation describe-stacks --stack-name "$stack" --output text --query "Stacks[0].StackStatus"
}

# The rollouts that CloudFormation has started. A rollback is a deployment too, which CodeDeploy starts.
rollouts() {
  local application groups group ids id
  # In a substitution, `set -e` has no effect.
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
stopped=
# The rollout of one function may begin after that of the other was stopped.
while [ "$current" = UPDATE_IN_PROGRESS ]; do
  ids=$(rollouts)
  for id in $ids; do
    aws deploy stop-deployment --deployment-id "$id" --auto-rollback-enabled
    stopped=$id
  done
  if [ -z "$stopped" ]; then
    stopped=update
    # It fails if the update has just ended.
    aws cloudformation cancel-update-stack --stack-name "$stack" || true
  fi
  sleep 5
  current=$(status)
done
while [[ "$current" = *_IN_PROGRESS ]]; do
  sleep 5
  current=$(status)
done
echo "$stack: $current"
[ "$current" = UPDATE_ROLLBACK_COMPLETE ]
