"""
Starts ministack, an AWS emulator, for deploy.sh, and fills its gaps. Most of what this adds exists in ministack, but
CloudFormation cannot reach it; the rest is only recorded, without effect (docs/first-deployment.md).
"""

import json
import os
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import apigateway, cloudwatch, dynamodb, eventbridge, iam, pipes, tagging
from ministack.services.cloudformation import handlers, provisioners, stacks

TYPES = provisioners._RESOURCE_HANDLERS


# Host names of APIs are unknown before the deployment, so /etc/hosts cannot list them.
def answer_names() -> None:
    """Answers each DNS query for an IPv4 address with 127.0.0.1."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, client = server.recvfrom(512)
        end = query.index(0, 12) + 5
        is_ipv4 = query[end - 4 : end - 2] == b"\0\1"
        answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if is_ipv4 else b""
        server.sendto(query[:2] + b"\x81\x80\0\1" + bytes([0, is_ipv4]) + b"\0\0\0\0" + query[12:end] + answer, client)


# Resources of these types are only recorded. Without CodeDeploy, an alias moves at once instead of by a canary. Saved
# queries do nothing in a deployment.
for kind, name in {
    "AWS::CodeDeploy::Application": "ApplicationName",
    "AWS::CodeDeploy::DeploymentGroup": "DeploymentGroupName",
    "AWS::Logs::QueryDefinition": "Name",
}.items():
    TYPES[kind] = {
        "create": lambda logical_id, properties, stack, name=name: (properties.get(name, f"{stack}-{logical_id}"), {}),
        "delete": lambda physical_id, properties: None,
    }


# ministack has archives, but no CloudFormation type for them.
def create_archive(logical_id: str, properties: dict, stack: str):
    name, pattern = properties["ArchiveName"], json.dumps(properties["EventPattern"])
    eventbridge._create_archive({**properties, "EventSourceArn": properties["SourceArn"], "EventPattern": pattern})
    return name, {"Arn": eventbridge._archives[name]["ArchiveArn"]}


TYPES["AWS::Events::Archive"] = {
    "create": create_archive,
    "update": lambda name, old, new, stack: (name, {"Arn": eventbridge._archives[name]["ArchiveArn"]}),
    "delete": lambda name, properties: eventbridge._delete_archive({"ArchiveName": name}),
}


# Alarms on metric math get a metric that does not exist.
def alarm_record(name: str, properties: dict, others=provisioners._cw_metric_alarm_record) -> dict:
    if "Metrics" not in properties:
        return others(name, properties)
    kept = {key: value for key, value in properties.items() if key != "Metrics"}
    return others(name, {**kept, "MetricName": "metric-math", "Namespace": "none", "Statistic": "Sum", "Period": 60})


provisioners._cw_metric_alarm_record = alarm_record

# Templates call a CORS setting AllowOrigins, but ministack reads only allowOrigins.
def with_cors(answer):
    return lambda settings, origin: answer({name[0].lower() + name[1:]: value for name, value in settings.items()}, origin)


apigateway._cors_response_headers = with_cors(apigateway._cors_response_headers)
apigateway._cors_preflight_response = with_cors(apigateway._cors_preflight_response)

# ministack's own pipes deliver only to SNS and Step Functions, without filters or templates.
PIPES: dict[str, dict] = {}


def remember(created, properties: dict):
    PIPES[created[0]] = properties
    return created


def value_at(path: str, value):
    for step in path.split(".")[1:]:
        value = value[step]
    return value


def deliver(pipe: dict, batch: list) -> bool:
    properties = PIPES[pipe["Name"]]
    target = properties["TargetParameters"]
    bus = target["EventBridgeEventBusParameters"]
    patterns = [
        alternative
        for each in properties["SourceParameters"]["FilterCriteria"]["Filters"]
        for alternative in eventbridge._compiled_pattern(each["Pattern"])
    ]
    for record in batch:
        if any(eventbridge._matches_detail(record, pattern) for pattern in patterns):
            fill = lambda path: json.dumps(value_at(path[1], record))
            detail = eventbridge._PLACEHOLDER_RE.sub(fill, target["InputTemplate"])
            entry = {"Source": bus["Source"], "DetailType": bus["DetailType"], "Detail": detail, "EventBusName": pipe["Target"]}
            eventbridge._put_events({"Entries": [entry]})
    return True


pipe_type = TYPES["AWS::Pipes::Pipe"]
create_pipe, update_pipe = pipe_type["create"], pipe_type["update"]
pipe_type["create"] = lambda logical_id, new, stack: remember(create_pipe(logical_id, new, stack), new)
pipe_type["update"] = lambda name, old, new, *others: remember(update_pipe(name, old, new, *others), new)
pipes._deliver_batch = deliver

# Lets IAM policies see user pools' tags.
tagging._RESOURCE_TAG_COLLECTORS["cognito-idp"] = tagging._collect_cognito


# Lets IAM policies see the condition key dynamodb:LeadingKeys in a BatchWriteItem.
def with_leading_keys(body: bytes, others=iam_actions.dynamodb_service_context) -> dict:
    tables = json.loads(body or b"{}").get("RequestItems", {}).values()
    writes = [write for table in tables if isinstance(table, list) for write in table]
    items = [write["PutRequest"]["Item"] if "PutRequest" in write else write["DeleteRequest"]["Key"] for write in writes]
    return {**others(body), **({"dynamodb:LeadingKeys": [item["pk"]["S"] for item in items]} if items else {})}


iam_actions.dynamodb_service_context = with_leading_keys


# ministack's policy simulation ignores the request's context entries.
def simulate(parameters: dict, others=iam._simulate_principal_policy, evaluate=iam_evaluator.evaluate):
    entry = lambda name: iam._p(parameters, f"ContextEntries.member.1.{name}")
    keys = {entry("ContextKeyName").lower(): entry("ContextKeyValues.member.1")}
    iam_evaluator.evaluate = lambda context, *policies: evaluate(replace(context, service_context=keys), *policies)
    try:
        return others(parameters)
    finally:
        iam_evaluator.evaluate = evaluate


iam._IAM_HANDLERS["SimulatePrincipalPolicy"] = simulate


# ministack authorizes a request for one alias as ListAliases.
def lambda_action(method: str, path: str, others=iam_actions._lambda_action) -> str | None:
    parts = path.split("/")
    is_alias = len(parts) == 6 and parts[4] == "aliases"
    return {"GET": "GetAlias", "PUT": "UpdateAlias", "DELETE": "DeleteAlias"}[method] if is_alias else others(method, path)


iam_actions._lambda_action = lambda_action

# Updates in ministack are too fast to stop. While this file exists, an alias update waits, for at most ten minutes.
# Cancelling removes the file.
SLOW = Path(os.environ["SLOW"])
alias_type = TYPES["AWS::Lambda::Alias"]
update_alias, blocks = alias_type["update"], stacks._runs_on_worker_thread
cancel = handlers._ACTION_HANDLERS["CancelUpdateStack"]


def slow_alias(*arguments):
    updated = update_alias(*arguments)
    end = time.monotonic() + 600
    while SLOW.exists() and time.monotonic() < end:
        time.sleep(1)
    return updated


def cancel_update(parameters):
    answer = cancel(parameters)
    SLOW.unlink(missing_ok=True)
    return answer


handlers._ACTION_HANDLERS["CancelUpdateStack"] = cancel_update
alias_type["update"] = slow_alias
stacks._runs_on_worker_thread = lambda kind: kind == "AWS::Lambda::Alias" or blocks(kind)

threading.Thread(target=answer_names, daemon=True).start()
app.main()
