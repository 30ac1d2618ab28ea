"""
Compares the functions' presigned URLs with boto3's, for object keys that programs often encode differently. Sends nothing:

    python3 -m venv /tmp/boto3 && /tmp/boto3/bin/pip install boto3==1.44.5
    /tmp/boto3/bin/python test/outside/presign-check.py
"""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import boto3
import botocore.auth
from botocore.config import Config

KEYS = [
    "c-1.pdf",
    "résumés/Ana Example (1).pdf",
    "a+b%20c%2Fd%.pdf",
    "//a//b/",
    "a/.../b./.c",
    "!\"#$&'()*,-.:;<=>@[\\]^_`{|}~",
    "é/e\u0301",
    "日本語😀",
    "s3://bucket/key",
    "A" * 1000,
    "é" * 500,
]
TENANT = "acme/é"
PREFIX = "acme%2F%C3%A9/"
QUERIES = {
    "resume_url": {"ResponseContentDisposition": "inline", "ResponseContentType": "application/pdf"},
    "video_url": {"ResponseContentDisposition": "attachment"},
}
REQUESTS = [(field, PREFIX + key) for field in QUERIES for key in KEYS]
REGIONS = ["us-east-1", "eu-west-1", "us-gov-west-1", "cn-north-1"]
TOKENS = ["", "example/session+token=="]
BUCKET = "example-files"
NOW = datetime.datetime(2026, 11, 3, 9, 26, 53, tzinfo=datetime.timezone.utc)
OURS = """
import { json } from 'node:stream/consumers';
import { resolveFileUrl } from './functions/store/presign.ts';
const { bucket, region, url, date, tenant, requests } = await json(process.stdin);
const environment = { files: { buckets: [bucket], url }, region, tenantClaim: 'tenant' };
const urls = requests.map(([field, key]) =>
  resolveFileUrl(field, `s3://${bucket}/${key}`, tenant, environment, () => new Date(date)));
process.stdout.write(JSON.stringify(await Promise.all(urls)));
"""


def theirs(region: str, token: str) -> list[str]:
    client = boto3.client(
        "s3",
        region_name=region,
        aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=token or None,
        config=Config(
            signature_version="s3v4",
            s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"},
        ),
    )
    return [
        client.generate_presigned_url(
            "get_object", {"Bucket": BUCKET, "Key": key, **QUERIES[field]}, ExpiresIn=900
        )
        for field, key in REQUESTS
    ]


def ours(region: str, token: str, url: str) -> list[str]:
    date = NOW.timestamp() * 1000
    given = {"bucket": BUCKET, "region": region, "url": url, "date": date, "tenant": TENANT, "requests": REQUESTS}
    out = subprocess.run(
        ["npx", "--no", "--", "node", "--input-type=module", "-e", OURS],
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "AWS_SESSION_TOKEN": token},
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    return json.loads(out)


def parts(presigned: str) -> tuple:
    """S3 ignores the order of the parameters, so they are sorted."""
    scheme, host, path, query, fragment = urlsplit(presigned)
    return scheme, host, path, sorted(parse_qsl(query, keep_blank_values=True)), fragment


def main() -> int:
    os.environ.update(AWS_ACCESS_KEY_ID="AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY="example-secret")
    botocore.auth.get_current_datetime = lambda *_, **__: NOW
    count, different = 0, 0
    for region in REGIONS:
        suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        for token in TOKENS:
            url = f"https://{BUCKET}.s3.{region}.{suffix}"
            pairs = zip(REQUESTS, ours(region, token, url), theirs(region, token), strict=True)
            for (field, key), one, other in pairs:
                count += 1
                if parts(one) != parts(other):
                    different += 1
                    print(f"{region}, {field}, {key[:40]!r}:\n  {one}\n  {other}")
    print(f"{count} presigned URLs, {different} different")
    return 1 if different or count == 0 else 0


sys.exit(main())
