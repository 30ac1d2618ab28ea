"""
Starts ministack, an emulator of AWS, for deploy.sh, and adds what it lacks (docs/deployment.md, "What only a real account can show").
Parts of ministack's own that are not reached from CloudFormation are connected; the rest is recorded without effect.
"""

import json
import os
import socket
import threading
import time
from pathlib import Path

from ministack import app
from ministack.core import iam_actions
from ministack.services import cloudwatch, eventbridge, pipes, tagging
from ministack.services.cloudformation import provisioners, stacks

TYPES = provisioners._RESOURCE_HANDLERS


def answer_names() -> None:
    """Answers every DNS query with 127.0.0.1, because names of APIs are unknown before they are created."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, client = server.recvfrom(512)
        end = query.index(0, 12) + 5
        is_ipv4 = query[end - 4 : end - 2] == b"\0\1"
        answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if is_ipv4 else b""
        server.sendto(query[:2] + b"\x81\x80\0\1" + bytes([0, is_ipv4]) + b"\0\0\0\0" + query[12:end] + answer, client)


def record(kind: str, create) -> None:
    """Adds a type of CloudFormation, whose resources are only recorded unless `create` does more."""
    TYPES[kind] = {"create": create, "delete": lambda name, properties: None}


def named(key: str):
    return lambda logical_id, properties, stack: (properties.get(key) or f"{stack}-{logical_id}", {})


# CodeDeploy has no emulation: an alias moves at once, without a canary.
record("AWS::CodeDeploy::Application", named("ApplicationName"))
record("AWS::CodeDeploy::DeploymentGroup", named("DeploymentGroupName"))
# Saved queries have no effect on a deployment.
record("AWS::Logs::QueryDefinition", named("Name"))


def call(response, name: str, properties: dict):
    """Returns the physical id and ARN, or fails as the service did."""
    status, _headers, body = response
    if status >= 400:
        raise ValueError(f"{name}: {body!r}")
    return name, properties


# ministack has archives and composite alarms, but no CloudFormation types for them.
def create_archive(logical_id, properties, stack):
    name = properties["ArchiveName"]
    pattern = json.dumps(properties.get("EventPattern", {}))
    created = eventbridge._create_archive({**properties, "EventSourceArn": properties["SourceArn"], "EventPattern": pattern})
    return call(created, name, {"Arn": eventbridge._archives.get(name, {}).get("ArchiveArn")})


def put_composite(logical_id, properties, stack):
    name = properties.get("AlarmName") or f"{stack}-{logical_id}"
    body = {**properties, "AlarmName": name, "Tags": None}
    return call(cloudwatch._put_composite_alarm({}, body, False, True), name, {"Arn": cloudwatch._composite_alarms[name]["AlarmArn"]})


TYPES["AWS::Events::Archive"] = {
    "create": create_archive,
    "update": lambda name, old, new, stack: (name, {"Arn": eventbridge._archives[name]["ArchiveArn"]}),
    "delete": lambda name, properties: eventbridge._delete_archive({"ArchiveName": name}),
}
TYPES["AWS::CloudWatch::CompositeAlarm"] = {
    "create": put_composite,
    "update": lambda name, old, new, stack: put_composite(name, {**new, "AlarmName": name}, stack),
    "delete": lambda name, properties: cloudwatch._composite_alarms.pop(name, None),
}


# ministack has no alarms on metric math: record them with a metric that does not exist.
def alarm_record(name: str, properties: dict, others=provisioners._cw_metric_alarm_record) -> dict:
    metric = {"MetricName": "metric-math", "Namespace": "none", "Statistic": "Sum", "Period": 60} if "Metrics" in properties else {}
    return others(name, {key: value for key, value in properties.items() if key != "Metrics"} | metric)


provisioners._cw_metric_alarm_record = alarm_record


# ministack's pipes deliver to SNS and Step Functions only, without filters and templates.
def deliver(pipe: dict, batch: list) -> bool:
    properties = PIPES[pipe["Name"]]
    filters = properties["SourceParameters"]["FilterCriteria"]["Filters"]
    bus = properties["TargetParameters"]["EventBridgeEventBusParameters"]
    for record_ in batch:
        if not any(
            eventbridge._matches_detail(record_, alternative)
            for each in filters
            for alternative in eventbridge._compiled_pattern(each["Pattern"])
        ):
            continue
        detail = eventbridge._PLACEHOLDER_RE.sub(lambda path: json.dumps(at(record_, path[1])), properties["TargetParameters"]["InputTemplate"])
        entry = {"Source": bus["Source"], "DetailType": bus["DetailType"], "Detail": detail, "EventBusName": pipe["Target"]}
        eventbridge._put_events({"Entries": [entry]})
    return True


def at(value, path: str):
    for step in path.split(".")[1:]:
        value = value[step]
    return value


PIPES: dict = {}
create_pipe, update_pipe = TYPES["AWS::Pipes::Pipe"]["create"], TYPES["AWS::Pipes::Pipe"]["update"]


def remember(created, properties):
    PIPES[created[0]] = properties
    return created


TYPES["AWS::Pipes::Pipe"]["create"] = lambda logical_id, new, stack: remember(create_pipe(logical_id, new, stack), new)
TYPES["AWS::Pipes::Pipe"]["update"] = lambda name, old, new, *others: remember(update_pipe(name, old, new, *others), new)
pipes._deliver_batch = deliver

# ministack knows the tags of user pools, but does not evaluate policies with them.
tagging._RESOURCE_TAG_COLLECTORS["cognito-idp"] = tagging._collect_cognito


# ministack does not supply the condition key dynamodb:LeadingKeys.
def with_leading_keys(body: bytes, others=iam_actions.dynamodb_service_context) -> dict:
    writes = [write for table in json.loads(body or b"{}").get("RequestItems", {}).values() if isinstance(table, list) for write in table]
    items = [write.get("PutRequest", {}).get("Item") or write["DeleteRequest"]["Key"] for write in writes]
    return {**others(body), **({"dynamodb:LeadingKeys": [item["pk"]["S"] for item in items]} if items else {})}


iam_actions.dynamodb_service_context = with_leading_keys



# ministack authorizes requests for one alias as ListAliases.
def lambda_action(method: str, path: str, others=iam_actions._lambda_action) -> str | None:
    is_alias = path.split("/")[4:5] == ["aliases"] and len(path.split("/")) == 6
    names = {"GET": "GetAlias", "PUT": "UpdateAlias", "DELETE": "DeleteAlias"}
    return names[method] if is_alias else others(method, path)


iam_actions._lambda_action = lambda_action

# An update takes ministack no time. While the file SLOW exists, an update of an alias takes as many seconds as it says.
SLOW = Path(os.environ["SLOW"])
update_alias = TYPES["AWS::Lambda::Alias"]["update"]
blocks = stacks._runs_on_worker_thread


def slow_alias(*arguments, **options):
    updated = update_alias(*arguments, **options)
    if SLOW.exists():
        time.sleep(int(SLOW.read_text()))
    return updated


TYPES["AWS::Lambda::Alias"]["update"] = slow_alias
stacks._runs_on_worker_thread = lambda kind: kind == "AWS::Lambda::Alias" or blocks(kind)

threading.Thread(target=answer_names, daemon=True).start()
app.main()
