"""
Writes live records (docs/live-data.md) without the package. vectors-check.py checks this writer.
"""

import json
import re
import time
import unicodedata
from datetime import datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).resolve().parents[2] / "docs/record.schema.json"
RECORDS = json.loads(SCHEMA.read_text("utf-8"))["$defs"]
# By call: the record's definition in the schema, and the members that live writes must not have.
CALLS = {
    "putApplication": ("application", {"revision"}),
    "removeApplication": ("removal", {"revision", "expires_at"}),
    "createJob": ("job", set(RECORDS["job"]["properties"]) - {"type", "tenant", "id", "status"}),
}
FIELDS = set(RECORDS["application"]["properties"]) - {"type", "tenant", "revision"}


class InvalidRecord(Exception):
    """Has the JSON Pointers of the first five invalid members, and no values."""


def encoded(part):
    return quote(part, safe="-_.!~*'()")


def key(*names):
    """For example, key("TENANT", "a b", "JOB", "1") is TENANT#a%20b#JOB#1."""
    return "#".join(encoded(name) if at % 2 else name for at, name in enumerate(names))


def instant(text):
    """A time as it is stored, and its whole seconds since 1970. Raises ValueError for a time that does not exist."""
    date, clock, hours, minutes = re.match(RECORDS["application"]["properties"]["created_at"]["pattern"], text).groups()
    utc = datetime.fromisoformat(f"{date}T{clock[:8]}")
    try:
        if hours:
            utc -= timedelta(minutes=int(f"{hours[0]}1") * (60 * int(hours[1:]) + int(minutes or 0)))
    except OverflowError:
        raise ValueError from None
    seconds = int((utc - datetime(1970, 1, 1)).total_seconds())
    return f"{utc.year:04}{utc:-%m-%dT%H:%M:%S}.{clock[9:12]:0<3}Z", seconds


def is_url(text):
    try:
        # `port` raises ValueError if it is invalid.
        return urlsplit(text).hostname is not None and isinstance(urlsplit(text).port, int | None)
    except ValueError:
        return False


def stored(schema, value):
    """A record's value without null members, and with times as they are stored."""
    if isinstance(value, dict):
        return {name: stored(schema["properties"][name], one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [stored(schema["items"], one) for one in value]
    return instant(value)[0] if schema.get("format") == "date-time" else value


def size(value):
    """Bytes that a value takes in DynamoDB, or a few more."""
    if isinstance(value, dict):
        return 3 + sum(1 + len(name) + size(one) for name, one in value.items())
    if isinstance(value, list):
        return 3 + sum(1 + size(one) for one in value)
    return len(value.encode()) if isinstance(value, str) else 21


def members(error):
    """JSON Pointers of the members that a schema error is about."""
    names = {
        "required": lambda: [name for name in error.validator_value if name not in error.instance],
        "additionalProperties": lambda: [name for name in error.instance if name not in error.schema["properties"]],
    }.get(error.validator, lambda: [None])()
    for name in names:
        path = [*error.path] if name is None else [*error.path, name]
        yield "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def schema_faults(call, record, revision, tenant_claim):
    kind, excluded = CALLS[call]
    properties = {name: rule for name, rule in RECORDS[kind]["properties"].items() if name not in excluded}
    required = [name for name in RECORDS[kind]["required"] if name in properties and name != "type"]
    if tenant_claim != "none":
        required.append("tenant")
    schema = {**RECORDS[kind], "properties": properties, "required": required}
    for error in Draft202012Validator(schema).iter_errors(record):
        yield from members(error)
    if call != "createJob":
        if revision is None or not Draft202012Validator(RECORDS[kind]["properties"]["revision"]).is_valid(revision):
            yield "/revision"


def other_faults(record, tenant_claim, files_bucket):
    """Members that break a rule which the schema has only in words."""
    tenant = record.get("tenant", "default")
    if tenant_claim == "none" and tenant != "default":
        yield "/tenant"
    for name in ("tenant", "id", "job_id", "user_id"):
        if len(record.get(name, "").encode()) > 256:
            yield f"/{name}"
    evaluations = enumerate(record.get("evaluations") or [])
    times = {f"/evaluations/{at}/submitted_at": one.get("submitted_at") for at, one in evaluations}
    for member, text in {"/created_at": record.get("created_at"), **times}.items():
        try:
            if text is not None and instant(text)[0] < ("1900" if member == "/created_at" else "0001"):
                yield member
        except ValueError:
            yield member
    prefix = "" if tenant_claim == "none" else encoded(tenant) + "/"
    for name in ("linked_in", "resume_url", "video_url"):
        text = record.get(name) or ""
        if text.startswith("s3://"):
            continue
        is_address = not text or name == "linked_in" or is_url(text)
        if not is_address or any(unicodedata.category(one) == "Cf" for one in text):
            yield f"/{name}"
    for name in ("resume_url", "video_url"):
        if (record.get(name) or "").startswith("s3://"):
            bucket, _, path = record[name][5:].partition("/")
            is_key = path and not re.search(r"[\0-\x1f\x7f-\x9f?]|(?:^|/)\.\.?(?:/|\Z)", path)
            is_allowed = bucket in (files_bucket or "").split(",") and path.startswith(prefix)
            if not (is_key and is_allowed and len(path.encode()) <= 1024):
                yield f"/{name}"


def item(call, record, revision, now, tenantClaim, filesBucket=None, expireAfterDays=None, tombstoneDays=30):
    """`now` is in milliseconds since 1970."""
    found = dict.fromkeys(schema_faults(call, record, revision, tenantClaim))
    found = list(found or other_faults(record, tenantClaim, filesBucket))
    if found:
        raise InvalidRecord(found[:5])
    tenant, job = record.get("tenant", "default"), record["id" if call == "createJob" else "job_id"]
    pk = key("TENANT", tenant, "JOB", job)
    if call == "createJob":
        return {"pk": pk, "sk": "JOB", "tenant_id": tenant, "job_id": job, "status": record["status"], "version": 1}
    keys = {"pk": pk, "sk": key("APPLICATION", record["user_id"])}
    if call == "removeApplication":
        return {**keys, "removed": True, "revision": revision, "expires_at": now // 1000 + tombstoneDays * 86400}
    fields = {name: one for name, one in stored(RECORDS["application"], record).items() if name in FIELDS}
    for name in ("phone", "linked_in", "resume_url", "video_url"):
        if fields.get(name) == "":
            del fields[name]
    if "linked_in" in fields:
        fields["linked_in"] = re.sub("^https?://", "", fields["linked_in"], flags=re.IGNORECASE)
    if expireAfterDays is not None and "expires_at" not in fields:
        fields["expires_at"] = max(instant(record["created_at"])[1] + expireAfterDays * 86400, now // 1000)
    # DynamoDB never deletes an item whose TTL lies more than five years back.
    if fields.get("expires_at", now) < now // 1000 - 4 * 365 * 86400:
        fields["expires_at"] = now // 1000
    candidate = key("TENANT", tenant, "CANDIDATE", record["user_id"])
    whole = {**keys, "candidate_pk": candidate, "tenant_id": tenant, **fields, "revision": revision}
    if size(whole) > 409600:
        raise InvalidRecord([""])
    return whole


def attributes(values):
    # boto3 accepts numbers only as Decimal.
    decimals = json.loads(json.dumps(values), parse_float=Decimal)
    return {name: TypeSerializer().serialize(one) for name, one in decimals.items()}


class Writer:
    """`client` must make one attempt a request, within 1.5 s. Three requests then take less than five seconds."""

    def __init__(self, client, table, **settings):
        self.client, self.table, self.settings = client, table, settings

    def create_job(self, record):
        job = item("createJob", record, None, 0, **self.settings)
        refused = self._send(self.client.put_item, Item=attributes(job), ConditionExpression="attribute_not_exists(pk)")
        return "created" if refused is None else "exists"

    def remove_application(self, record, revision):
        tombstone = item("removeApplication", record, revision, time.time_ns() // 10**6, **self.settings)
        refused = self._send(
            self.client.put_item,
            Item=attributes(tombstone),
            ConditionExpression="attribute_not_exists(revision) OR revision <= :revision",
            ExpressionAttributeValues=attributes({":revision": revision}),
        )
        return "removed" if refused is None else "older"

    def put_application(self, record, revision):
        new = item("putApplication", record, revision, time.time_ns() // 10**6, **self.settings)
        while True:
            started = time.time()
            response = self.client.get_item(
                TableName=self.table, Key=attributes({"pk": new["candidate_pk"], "sk": "ERASURE"}), ConsistentRead=True
            )
            if "Item" in response:
                if int(response["Item"]["revision"]["N"]) >= revision:
                    return "older"
                present = parsedate_to_datetime(response["ResponseMetadata"]["HTTPHeaders"]["date"])
                if revision > (present.timestamp() + 5) * 1000:
                    raise InvalidRecord(["/revision"])
            for over_tombstone in (False, True):
                if time.time() - started > 3.5:
                    break
                refused = self._update(new, over_tombstone, keeps_expiry=record.get("expires_at") is None)
                if refused is None:
                    return "stored"
                if not over_tombstone and not ("removed" in refused and refused["revision"] < revision):
                    return "older"

    def _update(self, new, over_tombstone, keeps_expiry):
        pk_sk = {name: new[name] for name in ("pk", "sk")}
        given = {name: one for name, one in new.items() if name not in pk_sk}
        keeps = {"expires_at"} if keeps_expiry and not over_tombstone else set()
        gone = (FIELDS | {"removed"}) - set(given) - keeps
        values = [f"#{name} = " + (f"if_not_exists(#{name}, :{name})" if name in keeps else f":{name}") for name in given]
        condition = "attribute_not_exists(removed) AND (attribute_not_exists(revision) OR revision <= :revision)"
        return self._send(
            self.client.update_item,
            Key=attributes(pk_sk),
            UpdateExpression=f"SET {', '.join(values)} REMOVE {', '.join(f'#{name}' for name in gone)}",
            ConditionExpression="attribute_exists(removed) AND revision < :revision" if over_tombstone else condition,
            ExpressionAttributeNames={f"#{name}": name for name in [*given, *gone]},
            ExpressionAttributeValues=attributes({f":{name}": one for name, one in given.items()}),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    def _send(self, request, **parameters):
        """Writes an item. Returns None, or the stored item if the condition failed."""
        try:
            request(TableName=self.table, **parameters)
            return None
        except self.client.exceptions.ConditionalCheckFailedException as error:
            old = error.response.get("Item", {})
            return {name: TypeDeserializer().deserialize(one) for name, one in old.items()}
