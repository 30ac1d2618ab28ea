# shellcheck shell=bash disable=SC2034
# Defines the steps of "Checklist of the first deployment" (docs/deployment.md) as shell functions. Run the steps one by
# one, in bash or zsh, in a stage whose data you may delete:
#   . infra/scripts/shell.sh staging; . infra/scripts/first-deployment.sh; export TOKEN=$(token)
# The steps need GNU date. On macOS, run "brew install coreutils" and "alias date=gdate".

queue_arns() {
  echo "arn:aws:sqs:$AWS_REGION:$(aws sts get-caller-identity --query Account --output text)"
}
queue_url() {
  aws sqs get-queue-url --queue-name "recruitment-try-$1" --query QueueUrl --output text
}
set_status() {
  curl -sS -X PATCH "$(output BaseUrl)/v1/jobs/$1/status" -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d "{\"status\": \"$2\"}"
}
read_application() {
  curl -sS -o /dev/null -w '%{http_code}\n' "$(output BaseUrl)/v1/jobs/try/applications/$1" -H "Authorization: Bearer $TOKEN"
}
alarms_on() {
  aws cloudwatch describe-alarms --alarm-name-prefix "$STACK-" --state-value ALARM --alarm-types CompositeAlarm MetricAlarm \
    --query '[CompositeAlarms,MetricAlarms][][].AlarmName'
}

# Creates a rule with two queues, imports two jobs, changes their statuses, and prints the events.
try_rule() {
  queues=$(queue_arns)
  for queue in recruitment-try-events recruitment-try-dead-letters; do
    policy=$(jq -nc --arg queue "$queues:$queue" '{Version: "2012-10-17", Statement: [{Effect: "Allow",
      Principal: {Service: "events.amazonaws.com"}, Action: "sqs:SendMessage", Resource: $queue}]}')
    aws sqs create-queue --queue-name "$queue" --attributes "$(jq -nc --arg it "$policy" '{Policy: $it}')"
  done
  aws events put-rule --name try --event-bus-name "$(output EventBusName)" --event-pattern '{"source":["recruitment"]}'
  aws events put-targets --rule try --event-bus-name "$(output EventBusName)" --targets \
    "Id=queue,Arn=$queues:recruitment-try-events,DeadLetterConfig={Arn=$queues:recruitment-try-dead-letters}"
  printf '%s\n' '{"type":"job","id":"try","status":"draft"}' '{"type":"job","id":"quote\"s\\","status":"draft"}' |
    npm run import -- - --table "$(output TableName)" --region "$AWS_REGION"
  set_status try published
  set_status quote%22s%5C published
  for queue in events dead-letters; do
    aws sqs receive-message --queue-url "$(queue_url $queue)" --wait-time-seconds 10 --max-number-of-messages 10 \
      --query 'Messages[].Body'
  done
}

# Deletes the queue that is the rule's target, and changes a job's status. EventBridge then sends the event to the
# rule's dead-letter queue, whose messages the function prints.
try_dead_target() {
  aws sqs delete-queue --queue-url "$(queue_url events)"
  sleep 60
  set_status try paused
  aws sqs receive-message --queue-url "$(queue_url dead-letters)" --wait-time-seconds 20 --query 'Messages[].Body'
}

try_email() {
  aws cloudwatch set-alarm-state --alarm-name "$STACK-dead-letters" --state-value ALARM --state-reason "first deployment"
}

# Stops the pipe, and changes a job's status twice every five minutes for 150 minutes. A token is valid for a shorter
# time, so each turn gets a new token.
try_pipe() {
  pipe=$(resources AWS::Pipes::Pipe)
  aws pipes stop-pipe --name "$pipe"
  for turn in $(seq 30); do
    TOKEN=$(token)
    set_status try paused
    set_status try published
    sleep 300
  done
  alarms_on
  aws pipes start-pipe --name "$pipe"
}

# Makes Lambda throttle both functions, and sends a request every minute for 15 minutes.
try_concurrency() {
  resources AWS::Lambda::Function | while read -r function; do
    aws lambda put-function-concurrency --function-name "$function" --reserved-concurrent-executions 0
  done
  for minute in $(seq 15); do
    read_application none
    sleep 60
  done
  alarms_on
  resources AWS::Lambda::Function | while read -r function; do
    aws lambda delete-function-concurrency --function-name "$function"
  done
}

# Stores an application without its required fields, and reads the application twice.
try_stored_data() {
  TOKEN=$(token)
  aws dynamodb put-item --table-name "$(output TableName)" \
    --item '{"pk":{"S":"TENANT#default#JOB#try"},"sk":{"S":"APPLICATION#broken"}}'
  read_application broken
  read_application broken
  sleep 300
  alarms_on
  aws dynamodb delete-item --table-name "$(output TableName)" \
    --key '{"pk":{"S":"TENANT#default#JOB#try"},"sk":{"S":"APPLICATION#broken"}}'
}

try_costs() {
  aws ce get-cost-and-usage --granularity DAILY --metrics UnblendedCost --group-by Type=DIMENSION,Key=USAGE_TYPE \
    --time-period "Start=$(date -u -d '-2 days' +%F),End=$(date -u +%F)" \
    --filter '{"Dimensions":{"Key":"SERVICE","Values":["Amazon DynamoDB"]}}'
}

# Removes the rule, the queue and the jobs that the other steps created. EventBridge cannot delete a bus that has rules.
# No command of this project deletes jobs, so this function deletes their items.
try_clean() {
  aws events remove-targets --rule try --event-bus-name "$(output EventBusName)" --ids queue
  aws events delete-rule --name try --event-bus-name "$(output EventBusName)"
  aws sqs delete-queue --queue-url "$(queue_url dead-letters)"
  for job in try quote%22s%5C; do
    aws dynamodb delete-item --table-name "$(output TableName)" \
      --key "{\"pk\":{\"S\":\"TENANT#default#JOB#$job\"},\"sk\":{\"S\":\"JOB\"}}"
  done
}
