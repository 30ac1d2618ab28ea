#!/usr/bin/env bash
# Prints tenant, id and last status of each job whose status changed in a period, from the stage's event archive:
#   AWS_REGION=eu-west-1 AT=2026-11-03T09:00:00Z END=2026-11-03T10:00:00Z bash infra/scripts/replay-statuses.sh prod
#
# Replays the events into a temporary queue, and keeps them in changes.ndjson.
set -euo pipefail
# shellcheck source=infra/scripts/shell.sh
. "$(dirname "$0")/shell.sh" "${1:-prod}"
if ! jq -en --arg last "$END" '($last | fromdate) + 600 <= now' >/dev/null; then
  echo 'The archive may lack events of the last ten minutes: choose an earlier END, or wait.' >&2
  exit 2
fi
name=statuses-$(date -u +%Y%m%d-%H%M%S)
bus=$(output EventBusName)
archive=$(output EventArchiveArn)
account=$(aws sts get-caller-identity --query Account --output text)
queue=arn:aws:sqs:$AWS_REGION:$account:$name

policy='{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"},
  "Action": "sqs:SendMessage", "Resource": "'$queue'"}]}'
url=$(aws sqs create-queue --queue-name "$name" --attributes "$(jq -n --arg it "$policy" '{Policy: $it}')" \
  --query QueueUrl --output text)
clean_up() {
  aws events remove-targets --rule "$name" --event-bus-name "$bus" --ids queue >/dev/null || true
  aws events delete-rule --name "$name" --event-bus-name "$bus" || true
  aws sqs delete-queue --queue-url "$url"
}
trap clean_up EXIT
rule=$(aws events put-rule --name "$name" --event-bus-name "$bus" --event-pattern '{"replay-name":["'"$name"'"]}' \
  --query RuleArn --output text)
aws events put-targets --rule "$name" --event-bus-name "$bus" --targets "Id=queue,Arn=$queue" >/dev/null
destination=$(aws events describe-event-bus --name "$bus" --query Arn --output text)
aws events start-replay --replay-name "$name" --event-source-arn "$archive" --event-start-time "$AT" \
  --event-end-time "$END" --destination "Arn=$destination,FilterArns=$rule" >/dev/null

while state=$(aws events describe-replay --replay-name "$name" --query State --output text) &&
  [[ "$state" = STARTING || "$state" = RUNNING ]]; do
  sleep 10
done
# Messages stay invisible for 12 hours, longer than this takes, so each comes once.
while changes=$(aws sqs receive-message --queue-url "$url" --max-number-of-messages 10 --wait-time-seconds 20 \
  --visibility-timeout 43200 | jq -c '.Messages[].Body | fromjson | .detail') && [ -n "$changes" ]; do
  printf '%s\n' "$changes"
done >changes.ndjson
if [ "$state" != COMPLETED ]; then
  echo "The replay $name is $state." >&2
  exit 1
fi
jq -rs 'group_by([.tenant_id, .job_id])[] | max_by(.sequence | tonumber) | [.tenant_id, .job_id, .to] | @tsv' changes.ndjson
