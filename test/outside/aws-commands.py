"""
Checks every AWS command in the pages and the operators' scripts against the AWS CLI, without an account. Bash runs each block of
shell code with an `aws` that only records its arguments. The real CLI then parses them, builds the request and checks it against
the service's model. Sends nothing. Needs bash and jq:

    python3 -m venv /tmp/aws && /tmp/aws/bin/pip install awscli==1.46.3
    /tmp/aws/bin/python test/outside/aws-commands.py            # all pages, or the named pages

Cannot check rules that only a service knows, other programs, or commands that only version 2 of the CLI has.
"""

import base64
import contextlib
import datetime
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import awscli.clidriver
import botocore.waiter
from botocore.utils import ArgumentGenerator

# Accepted by the CLI as a name, an ARN and a number.
VALUE = "1000000000000000000000000000000000000001"
# Printed by the recording `aws`. Code may branch on it, so each block runs once per output.
OUTPUTS = [VALUE, "None"]
PLACEHOLDER = re.compile(r"[A-Z_]+")
TIME = "YYYY-MM-DDThh:mm:ssZ"
ENVIRONMENT = {"AWS_REGION": "eu-west-1", "REGION": "eu-west-1"}
ENVIRONMENT |= {"ACCOUNT": "111122223333", "REPOSITORY": "owner/repository", "TENANT": "default"}
# Set on another page, which the text names, or by the caller of a script.
ENVIRONMENT |= {"OLD": VALUE, "NEW": VALUE, "AT": "2026-01-01T00:00:00Z", "END": "2026-01-01T01:00:00Z"}
# For loops over the lines of an export.
EXPORT = '{"type": "job", "tenant": "default", "id": "4007", "status": "draft"}'
MANIFEST = {"artifacts": {"RecruitmentService-prod": {"properties": {"bootstrapStackVersionSsmParameter": VALUE}}}}
FILES = ["certificate.pem", "chain.pem", "key.pem", "permissions.json", "trust.json"]
OTHERS = "npx npm node curl openssl java mvn git sam docker sleep pip python3 cp rm tee".split()
# Not checked, because PyPI has only version 1 of the CLI.
ONLY_VERSION_2 = [["logs", "tail"]]

SHELL = Path(__file__).resolve().parents[2] / "infra/scripts/shell.sh"
# Scripts that operators run. The other scripts need a deployment under way.
SCRIPTS = ["shell.sh", "account.sh", "deploy-role.sh", "replay-statuses.sh"]

RECORD = """#!/usr/bin/env bash
printf '%s\\0' "$@" | base64 -w0 >>"$RECORD_FILE"
echo >>"$RECORD_FILE"
echo "$RECORD_OUTPUT"
"""


def blocks(path: Path, page: str) -> list[tuple[int, str]]:
    """Blocks of shell code with their line numbers. A script is one block that calls all its functions."""
    if path.suffix == ".sh":
        return [(1, "\n".join([page, *re.findall(r"^(\w+)\(\) [{(]", page, re.M)]))]
    found = re.finditer(r"^( *)```sh\n(.*?)^ *```$", page, re.M | re.S)
    return [
        (page.count("\n", 0, each.start()) + 2, re.sub(f"^{each[1]}", "", each[2], flags=re.M))
        for each in found
    ]


def recorded(before: str, code: str, folder: Path) -> list[list[str]]:
    """Arguments of the `aws` calls in `code`, which runs after `before`."""
    calls: list[list[str]] = []
    for output in OUTPUTS:
        record = folder / "record"
        record.write_text("")
        script = f"RECORD_FILE=/dev/null\n{before}\nRECORD_FILE={record}\n{code}"
        environment = {
            **ENVIRONMENT,
            "PATH": f"{folder}:/usr/bin:/bin",
            "RECORD_FILE": "/dev/null",
            "RECORD_OUTPUT": output,
        }
        quiet = {"stdin": subprocess.DEVNULL, "capture_output": True}
        subprocess.run(["bash", "-c", script, str(SHELL)], env=environment, cwd=folder, timeout=60, **quiet)
        for line in record.read_text().splitlines():
            call = base64.b64decode(line).decode().split("\0")[:-1]
            if call not in calls:
                calls.append(call)
    return calls


def filled(call: list[str]) -> list[str]:
    """Replaces placeholders, and the `None` that another command printed, with values."""
    before = ["", *call]
    return [
        "eu-west-1" if option == "--region" else "2026-01-01T00:00:00Z" if word == TIME
        else VALUE if PLACEHOLDER.fullmatch(word) else re.sub(r"\bNone\b", VALUE, word)
        for option, word in zip(before, call)
    ]


def with_texts(value):
    """Turns times into text, as the CLI's parser does."""
    match value:
        case dict(): return {name: with_texts(it) for name, it in value.items()}
        case list(): return [with_texts(it) for it in value]
        case datetime.datetime(): return value.isoformat()
    return value


def problem_of(call: list[str]) -> str | None:
    if call[:2] in ONLY_VERSION_2:
        return None
    driver = awscli.clidriver.create_clidriver()
    unknown: list[str] = []

    def check(params, model, **_):
        unknown.extend(unknown_values(model.input_shape, params))

    def respond(model, **_):
        shape = model.output_shape
        body = ArgumentGenerator(use_member_names=True).generate_skeleton(shape) if shape else {}
        body.pop("NextContinuationToken", None)  # `aws s3` would ask for the next page for ever
        return type("Response", (), {"status_code": 200})(), with_texts(body)

    driver.session.register("before-parameter-build", check)
    driver.session.register("before-call", respond)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = driver.main([*filled(call), "--no-paginate"])
        except SystemExit as end:
            code = end.code
    # Waiters may fail: they never get the response that they wait for.
    if code and "Waiter" not in err.getvalue():
        lines = err.getvalue().strip().splitlines()
        return next((line for line in lines if "error" in line.lower()), lines[-1])
    if unknown:
        return f"unknown values: {', '.join(unknown)}"
    # Filters and maps may find nothing: the response has real names, but no real values.
    query = call[call.index("--query") + 1] if "--query" in call else ""
    if query and not re.search(r"\?|Variables\.", query) and out.getvalue().strip() in ("null", "None", ""):
        return f"the query {query} finds nothing"
    return None


def unknown_values(shape, value) -> list[str]:
    """Values that the model's enumerations lack."""
    if shape is None or value is None or value == VALUE:
        return []
    if shape.type_name == "structure":
        return [each for name, it in value.items() if name in shape.members for each in unknown_values(shape.members[name], it)]
    if shape.type_name == "list":
        return [each for it in value for each in unknown_values(shape.member, it)]
    return [value] if getattr(shape, "enum", None) and value not in shape.enum else []


def mentioned(page: str) -> list[list[str]]:
    """Service, operation and options of the commands that the text mentions."""
    found = re.findall(r"`aws ([a-z0-9-]+) ([a-z0-9-]+)([^`]*)`", page)
    return [[service, operation, *re.findall("--[a-z-]+", rest)] for service, operation, rest in found]


def problem_of_mention(words: list[str]) -> str | None:
    """Checks only names: mentioned commands may be incomplete."""
    service, operation, *options = words
    driver = awscli.clidriver.create_clidriver()
    commands = driver._get_command_table()
    command = commands.get(service)
    # `aws s3` is hand-written, without a model.
    is_custom = hasattr(command, "subcommand_table")
    operations = {} if command is None else command.subcommand_table if is_custom else command._get_command_table()
    if operation not in operations:
        return "there is no such operation"
    arguments = [*operations[operation].arg_table.values(), *driver._get_argument_table().values()]
    known = {argument.cli_name for argument in arguments}
    unknown = [option for option in options if option not in known]
    return f"there is no option {', '.join(unknown)}" if unknown else None


def wrong_in(path: Path, folder: Path) -> tuple[list[str], int]:
    """A page's faults, and how many commands it has."""
    page = path.read_text()
    wrong, reached, count, before, run = [], set(), 0, SHELL.read_text(), ""
    for line, code in blocks(path, page):
        calls = recorded(before, code, folder)
        reached.update(tuple(call[:2]) for call in calls)
        count += len(calls)
        found = [(call, problem_of(call)) for call in calls]
        wrong += [f"{path}:{line}: aws {' '.join(call)}: {it}" for call, it in found if it]
        before += f"{code}\n"
        run += f"{code}\n"
    named = set(re.findall(r"\baws ([a-z0-9-]+) ([a-z0-9-]+)", run))
    wrong += [f"{path}: aws {' '.join(pair)} is not run" for pair in sorted(named - reached)]
    mentions = [(words, problem_of_mention(words)) for words in mentioned(page)]
    wrong += [f"{path}: aws {' '.join(words)}: {it}" for words, it in mentions if it]
    return wrong, count + len(mentions)


def main() -> int:
    root = SHELL.parents[2]
    given = [Path(each).resolve() for each in sys.argv[1:]]
    botocore.waiter.time.sleep = lambda _: None
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in ["aws", *OTHERS]:
            (folder / program).write_text(RECORD if program == "aws" else "#!/bin/sh\nexit 0\n")
            (folder / program).chmod(0o755)
        for file in FILES:
            (folder / file).write_text("{}")
        (folder / "tenant.ndjson").write_text(EXPORT)
        (folder / "dist/assembly/prod").mkdir(parents=True)
        (folder / "dist/assembly/prod/manifest.json").write_text(json.dumps(MANIFEST))
        (folder / "docs").symlink_to(root / "docs")
        os.chdir(folder)
        os.environ.update(AWS_ACCESS_KEY_ID="none", AWS_SECRET_ACCESS_KEY="none", AWS_DEFAULT_REGION="eu-west-1")
        pages = [*root.glob("docs/**/*.md"), *root.glob("*.md")]
        pages += [SHELL.parent / name for name in SCRIPTS]
        for path in given or sorted(pages):
            found, commands = wrong_in(path, folder)
            wrong += found
            count += commands
    print("\n".join([*wrong, f"{count} commands, {len(wrong)} wrong"]))
    return 1 if wrong or count == 0 else 0


sys.exit(main())
