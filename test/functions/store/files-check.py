"""
Compares the links to files with those that boto3 signs, for keys that are easily encoded in another way. Nothing
is sent:

    python3 -m venv /tmp/boto3 && /tmp/boto3/bin/pip install boto3==1.44.5
    /tmp/boto3/bin/python test/functions/store/files-check.py
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
    "A" * 1024,
    "é" * 512,
]
REGIONS = ["us-east-1", "eu-west-1", "us-gov-west-1", "cn-north-1"]
TOKENS = ["", "example/session+token=="]
BUCKET = "example-files"
NOW = datetime.datetime(2026, 11, 3, 9, 26, 53, tzinfo=datetime.timezone.utc)
OURS = """
import { json } from 'node:stream/consumers';
import { linkTo } from './functions/store/files.ts';
const { bucket, region, url, date, keys } = await json(process.stdin);
const links = keys.map((key) =>
  linkTo(`s3://${bucket}/${key}`, { files: { bucket, url }, region }, () => new Date(date)));
process.stdout.write(JSON.stringify(await Promise.all(links)));
"""


def theirs(region: str, token: str) -> list[str]:
    """The links that boto3 signs."""
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
    parameters = {"Bucket": BUCKET, "ResponseContentDisposition": "inline"}
    return [
        client.generate_presigned_url("get_object", {**parameters, "Key": key}, ExpiresIn=900)
        for key in KEYS
    ]


def ours(region: str, token: str, url: str) -> list[str]:
    """The links that the function signs."""
    given = {"bucket": BUCKET, "region": region, "url": url, "date": NOW.timestamp() * 1000, "keys": KEYS}
    out = subprocess.run(
        ["npx", "--no", "--", "node", "--input-type=module", "-e", OURS],
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, "AWS_SESSION_TOKEN": token},
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    return json.loads(out)


def parts(link: str) -> tuple:
    """What S3 reads of a link: the order of the parameters has no meaning."""
    scheme, host, path, query, fragment = urlsplit(link)
    return scheme, host, path, sorted(parse_qsl(query, keep_blank_values=True)), fragment


def main() -> int:
    os.environ.update(AWS_ACCESS_KEY_ID="AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY="example-secret")
    botocore.auth.get_current_datetime = lambda *_, **__: NOW
    count, different = 0, 0
    for region in REGIONS:
        suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        for token in TOKENS:
            url = f"https://{BUCKET}.s3.{region}.{suffix}"
            for key, one, other in zip(KEYS, ours(region, token, url), theirs(region, token), strict=True):
                count += 1
                if parts(one) != parts(other):
                    different += 1
                    print(f"{region}, {key[:40]!r}:\n  {one}\n  {other}")
    print(f"{count} links, {different} different")
    return 1 if different or count == 0 else 0


sys.exit(main())
