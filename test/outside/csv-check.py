"""Imports generated CSV files, and compares the records with the records that Python's csv module reads.

Usage: python3 test/outside/csv-check.py [COUNT [SEED]]
"""

import base64
import csv
import io
import json
import subprocess
import sys
from collections import Counter

SPACE = " \t\n\r"
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def rows_of(data, columns):
    """Returns the rows of a file by row number."""
    encoding = columns.get("encoding", "utf-8")
    for mark, name in MARKS.items():
        if data.startswith(mark):
            encoding = name
    text = io.StringIO(data.decode(encoding), newline="")
    return dict(enumerate(csv.reader(text, delimiter=columns["delimiter"], strict=True), 1))


def record_of(row, header, columns):
    """Returns the record that the columns file makes of a row."""
    record = dict(columns["constants"])
    for name, field in columns["columns"].items():
        value = row[header.index(name)].strip(SPACE)
        if value:
            record[field] = value
    if "score" in record:
        record["score"] = float(record["score"].replace(columns["decimal_sign"], "."))
    record["created_at"] += "T00:00:00.000Z"
    record.setdefault("email", record["user_id"] + "@no-address.invalid")
    return record


def fault_of(case):
    """Returns a difference between the import of a file and Python's reading, or None."""
    columns, refused = case["columns"], case["refused"]
    if case["fault"] == "none" and ("error" in case or refused):
        return "a correct file is refused"
    items = {int(number): item for number, item in case["items"].items()}
    try:
        rows = rows_of(base64.b64decode(case["bytes"]), columns)
    except (csv.Error, UnicodeError):
        return None if "error" in case else "Python refuses the file, and the import does not"
    header = rows.pop(1)
    if any(header.count(name) != 1 for name in columns["columns"]):
        return None if "error" in case and not items else "a column is missing or appears twice"
    for number, row in rows.items():
        if number not in items:
            if row and len(row) == len(header) and str(number) not in refused and "error" not in case:
                return f"row {number} is lost"
            continue
        if len(row) != len(header):
            return f"row {number} has another number of fields"
        stored = {key: value for key, value in items[number].items() if key not in ("pk", "sk", "candidate_pk", "tenant_id")}
        if stored != record_of(row, header, columns):
            return f"row {number} is stored with other values"
    return "a row is made up" if set(items) - set(rows) else None


count, seed = (sys.argv[1:] + ["2000", "1"][len(sys.argv) - 1 :])[:2]
script = "test/infra/commands/import/csv-outcomes.ts"
lines = subprocess.run(["node", script, count, seed], check=True, capture_output=True, text=True).stdout.splitlines()
outcomes, faults = Counter(), []
for line in lines:
    case = json.loads(line)
    fault = fault_of(case)
    if fault:
        faults.append(f"{fault}: {case['bytes']} {json.dumps(case['columns'])}")
    outcome = "stopped with its row" if "error" in case else "row refused" if case["refused"] else "imported exactly"
    outcomes[case["fault"], outcome] += 1
for (fault, outcome), number in sorted(outcomes.items()):
    print(f"{number:5} {fault}: {outcome}")
print(f"{len(lines)} files, {len(faults)} differ from Python's csv module", *faults, sep="\n")
sys.exit(1 if faults else 0)
