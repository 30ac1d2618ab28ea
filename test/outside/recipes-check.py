"""
Runs the examples of docs/recipes with DuckDB on invented files, as spreadsheet programs and Greenhouse's API write them,
imports their records into a running local service, and compares what the API returns with what the files say. Takes the
service's data folder. `duckdb-cli` is the program that docs/data.md uses:

    python3 -m venv /tmp/duckdb && /tmp/duckdb/bin/pip install duckdb==2.0.1 duckdb-cli==1.5.6
    /tmp/duckdb/bin/python test/outside/recipes-check.py .local
"""

import csv
import functools
import io
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).parent / "duckdb"
# Returned by the API for members that a record lacks.
NOTHING = dict.fromkeys("phone linked_in city region country summary position score resume_url video_url".split())
NOTHING |= {"education": [], "experience": [], "evaluations": []}
COURSE = dict.fromkeys("institution degree field_of_study start_date end_date current location description".split())
POSITION = dict.fromkeys("title company start_date end_date current location description".split())

SHEET = """\
Job ID;Candidate ID;First name;Last name;E-mail;Phone;Profile;City;Education;Stage;Score;Applied on;Changed on;Status;Summary
0042;007;Zoé;D’Example;zoe@example.com;+49 (30) 55 – 1234;https://profiles.example.com/zoe?trk=x#top;Köln;"Example University / BSc / Physics; Maths / 2012 / 2015

Example College // Art / 2024-10 /";Interview;8,5;14/09/2026 12:30;15/09/2026 08:00;active;"Earned ""600 €""; led a team
of three"
0042;008;\u00a0Tom\u00a0;;;0049 30 551234;;;;Applied;1234,5;01/02/2026 00:15;;rejected;C# developer
0042;007;Zoé;D’Example;zoe@example.com;;;;;Applied;;15/09/2026 12:30;16/09/2026 12:30;rejected;
0042;007;Zoé;D’Example;zoe@example.com;;;;;Applied;;14/09/2026 23:30;;active;
0007;007;Zoé;D’Example;zoe@example.com;030 5550-123;;;;Applied;0;31/03/2026 09:00;;active;
#4007;009;Ida;;;;;#N/A;;Applied;;31/03/2026 09:00;;active;5" pipes
;;;;;;;;;;;;;;
"""
HEADER = SHEET.split("\n", 1)[0]
COLUMNS = HEADER.split(";")
ZOE = {**NOTHING, "user_id": "007", "name": "Zoé D’Example", "email": "zoe@example.com"}
SHEET_APPLICATIONS = {
    ("0042", "007"): {
        **ZOE,
        "phone": "+4930551234",
        "linked_in": "profiles.example.com/zoe",
        "city": "Köln",
        "summary": 'Earned "600 €"; led a team\nof three',
        "education": [
            {
                **COURSE,
                "institution": "Example University",
                "degree": "BSc",
                "field_of_study": "Physics; Maths",
                "start_date": "2012",
                "end_date": "2015",
                "current": False,
            },
            {**COURSE, "institution": "Example College", "field_of_study": "Art", "start_date": "2024-10", "current": True},
        ],
        "stage_id": "interview",
        "stage_title": "Interview",
        "score": 8.5,
        "created_at": "2026-09-14T10:30:00.000Z",
    },
    ("0042", "008"): {
        **NOTHING,
        "user_id": "008",
        "name": "Tom",
        "email": "008@no-address.invalid",
        "stage_id": "applied",
        "stage_title": "Applied",
        "phone": "+4930551234",
        "summary": "C# developer",
        "score": 1234.5,
        "created_at": "2026-01-31T23:15:00.000Z",
    },
    ("#4007", "009"): {
        **NOTHING,
        "user_id": "009",
        "name": "Ida",
        "email": "009@no-address.invalid",
        "city": "#N/A",
        "summary": '5" pipes',
        "stage_id": "applied",
        "stage_title": "Applied",
        "created_at": "2026-03-31T07:00:00.000Z",
    },
    ("0007", "007"): {
        **ZOE,
        "phone": "+49305550123",
        "stage_id": "applied",
        "stage_title": "Applied",
        "score": 0,
        "created_at": "2026-03-31T07:00:00.000Z",
    },
}
SHEET_JOBS = {"#4007": "draft", "0007": "draft", "0042": "draft"}
SHEET_LEFT_OUT = "row,job_id,user_id\n4,0042,007\n5,0042,007\n"


def applied(number, candidate, status, created_at, **members):
    stage = {"stage_id": 767358, "stage_name": "Application Review"}
    about = {"id": number, "candidate_id": candidate, "job_id": 11, "prospect": False, "status": status}
    return {**about, **stage, "created_at": created_at, "updated_at": created_at, "answers": [], **members}


# One list is one page of results.
GREENHOUSE = {
    "jobs-1": [
        {"id": 11, "name": "Designer", "status": "open", "is_template": False, "confidential": False},
        {"id": 12, "name": "Template", "status": "open", "is_template": True},
    ],
    "jobs-2": [{"id": 13, "name": "Pilot", "status": "closed", "is_template": False}],
    "applications-1": [
        applied(1, 57, "rejected", "2026-09-10T00:26:14.966Z"),
        applied(
            2,
            57,
            "in_process",
            "2026-08-10T00:26:14.966Z",
            updated_at="2026-09-01T00:00:00Z",
            answers=[
                {"question": "Why us?", "answer": "Yes."},
                {"question": "Are you on LinkedIn?", "answer": "yes"},
                {"question": "Your LinkedIn profile", "answer": "https://profiles.example.com/rui?trk=x#about"},
            ],
        ),
        applied(3, 57, "in_process", "2026-08-11T00:26:14.966Z"),
    ],
    "applications-2": [
        applied(4, 58, "hired", "2026-07-01T08:00:00.000Z", stage_id=None, stage_name=None),
        applied(5, 58, "in_process", "2026-07-02T08:00:00.000Z", prospect=True, job_id=None),
    ],
    "candidates": [
        {
            "id": 57,
            "first_name": "Rui ",
            "last_name": "Example",
            "company": "Example Freight",
            "title": "Designer",
            "private": False,
            "email_addresses": [{"value": " ", "type": "work"}, {"value": "rui@example.com", "type": "personal"}],
            "phone_numbers": [{"value": "202-555-0119", "type": "mobile"}],
            "addresses": [],
            "website_addresses": [],
            "social_media_addresses": [{"value": "@rui"}],
        },
        {
            "id": 58,
            "first_name": None,
            "last_name": "Ana’s €",
            "title": "",
            "email_addresses": [],
            "phone_numbers": [{"value": "call me"}, {"value": "011 49 30 551234"}],
            "website_addresses": [{"value": "http://linkedin.example.com/ana", "type": "other"}],
            "social_media_addresses": [],
        },
    ],
    "attachments": [
        {"id": number, "application_id": 2, "type": kind, "url": f"https://files.example.com/{number}.pdf", "created_at": day}
        for number, kind, day in [
            (2, "resume", "2026-08-12T00:00:00Z"),
            (1, "resume", "2026-08-11T00:00:00Z"),
            (3, "cover_letter", "2026-08-13T00:00:00Z"),
        ]
    ],
    "candidate_educations": [
        {
            "id": 8,
            "candidate_id": 57,
            "school_name_custom_field_option_id": 21,
            "degree_custom_field_option_id": 22,
            "discipline_custom_field_option_id": None,
            "start_at": "2012-08-15T00:00:00.000Z",
            "end_at": None,
            "start_date_year": 2012,
            "start_date_month": 8,
            "end_date_year": 2016,
            "end_date_month": 5,
        },
    ],
    "candidate_employments": [
        {
            "id": 9,
            "candidate_id": 57,
            "company_name": "Example Freight",
            "title": "Designer",
            "start_date": "2016-09-01",
            "end_date": "2020-01-31",
        },
        {
            "id": 10,
            "candidate_id": 57,
            "company_name": "Example Rail",
            "title": None,
            "start_date": "2020-02-01",
            "end_date": None,
        },
    ],
    "custom_field_options": [
        {"id": 21, "custom_field_id": 1, "name": "Example School of Design"},
        {"id": 22, "custom_field_id": 2, "name": "Bachelor's Degree"},
    ],
}
GREENHOUSE_APPLICATIONS = {
    ("gh:11", "gh:57"): {
        **NOTHING,
        "user_id": "gh:57",
        "name": "Rui Example",
        "email": "rui@example.com",
        "phone": "+12025550119",
        "linked_in": "profiles.example.com/rui",
        "position": "Designer",
        "education": [
            {
                **COURSE,
                "institution": "Example School of Design",
                "degree": "Bachelor's Degree",
                "start_date": "2012-08",
                "end_date": "2016-05",
            }
        ],
        "experience": [
            {
                **POSITION,
                "title": "Designer",
                "company": "Example Freight",
                "start_date": "2016-09-01",
                "end_date": "2020-01-31",
                "current": False,
            },
            {**POSITION, "company": "Example Rail", "start_date": "2020-02-01", "current": True},
        ],
        "stage_id": "767358",
        "stage_title": "Application Review",
        "created_at": "2026-08-10T00:26:14.966Z",
        "resume_url": "https://files.example.com/2.pdf",
    },
    ("gh:11", "gh:58"): {
        **NOTHING,
        "user_id": "gh:58",
        "name": "Ana’s €",
        "email": "gh-58@no-address.invalid",
        "phone": "+4930551234",
        "linked_in": "linkedin.example.com/ana",
        "stage_id": "hired",
        "stage_title": "hired",
        "created_at": "2026-07-01T08:00:00.000Z",
    },
}
GREENHOUSE_JOBS = {"gh:11": "published", "gh:13": "closed"}
GREENHOUSE_LEFT_OUT = "application_id,job_id,user_id,prospect\n1,gh:11,gh:57,false\n3,gh:11,gh:57,false\n5,,gh:58,true\n"

# What users set in a recipe.
SETTINGS = {
    "spreadsheet": {"country": "+49", "national": "0([1-9][0-9]{5,10})", "abroad": "00"},
    "greenhouse": {"country": "+1", "national": "1?([2-9][0-9]{9})", "abroad": "011"},
}


def recipe(name, delimiter=";", settings=None, adapted=("", "")):
    sql = (ROOT / f"docs/recipes/{name}.sql").read_text("utf-8").replace(*adapted)
    sql = sql.replace("SET VARIABLE delimiter = ';'", f"SET VARIABLE delimiter = '{delimiter}'")
    for variable, value in (SETTINGS[name] if settings is None else settings).items():
        sql = sql.replace(f"SET VARIABLE {variable} = NULL::VARCHAR;", f"SET VARIABLE {variable} = '{value}';")
    return sql


def run(name, folder, **adaptations):
    """Returns the error message, or else None."""
    os.chdir(folder)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        try:
            connection.execute(recipe(name, **adaptations))
        except duckdb.Error as error:
            return str(error)


def written(folder, name="records.ndjson"):
    return (folder / name).read_text("utf-8")


def records(folder, kind="application"):
    # splitlines() would also split at characters other than newlines.
    lines = written(folder).split("\n")[:-1]
    return [record for record in map(json.loads, lines) if record["type"] == kind]


def stops(about, message, name, folder, **adaptations):
    """The run after a good one stops with a message that tells a person what to correct, and leaves nothing to import."""
    (folder / "records.ndjson").write_text("of an earlier run")
    found = run(name, folder, **adaptations) or "no error"
    yield about, message, message if message in found else found
    yield f"{about}: records", "", written(folder)


def npm(*args):
    return subprocess.run(["npm", "run", "-s", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def write_sheet(folder, data, encoding="utf-8"):
    (folder / "applications.csv").write_bytes(data.encode(encoding))


def row(**cells):
    """Cells are named after their columns, with `_` for whatever is not a letter."""
    others = {"Job_ID": "42", "Stage": "Applied", "Applied_on": "31/03/2026 09:00", "Status": "active"}
    named = [("".join(c if c.isalpha() else "_" for c in column)) for column in COLUMNS]
    assert cells.keys() <= set(named)
    return ";".join({**others, **cells}.get(name, "") for name in named) + "\n"


def sheet_of(*rows):
    return "".join([HEADER, "\n", *rows])


def rewritten(**dialect):
    """The sheet as another program would write it."""
    text = io.StringIO(newline="")
    csv.writer(text, **dialect).writerows(csv.reader(io.StringIO(SHEET, newline=""), delimiter=";"))
    return text.getvalue()


def program_cases(folder):
    """Each program's file gives the same records."""
    write_sheet(folder, SHEET)
    yield "LibreOffice", None, run("spreadsheet", folder)
    expected = written(folder)
    files = {
        "Excel, CSV UTF-8": (rewritten(delimiter=";"), "utf-8-sig", ";"),
        "Excel, Unicode text, converted": (rewritten(delimiter="\t"), "utf-8-sig", "\t"),
        "Google Sheets": (rewritten(delimiter=",").removesuffix("\r\n"), "utf-8", ","),
        "LibreOffice, all cells quoted": (rewritten(delimiter=";", quoting=csv.QUOTE_ALL), "utf-8", ";"),
        "unix2dos": (SHEET.replace("\n", "\r\n"), "utf-8", ";"),
        "Excel for Mac, old": (rewritten(delimiter=";", lineterminator="\r"), "utf-8", ";"),
        "blank lines": (SHEET.replace("\n0007", "\n\n0007") + "\n\n", "utf-8", ";"),
    }
    for program, (text, encoding, delimiter) in files.items():
        write_sheet(folder, text, encoding)
        yield program, None, run("spreadsheet", folder, delimiter=delimiter)
        found = written(folder)
        yield f"{program}: records", expected, found.replace("led a team\\r\\nof", "led a team\\nof")
    for encoding in ("windows-1252", "utf-16"):
        write_sheet(folder, SHEET, encoding)
        yield from stops(f"{encoding}, not converted", "not utf-8 encoded", "spreadsheet", folder)
    write_sheet(folder, f"sep=;\n{SHEET}")
    yield from stops("Excel's sep=", "CSV Error on Line: 1", "spreadsheet", folder)
    write_sheet(folder, SHEET.replace("\n", "\r\n", 1))
    yield from stops("two kinds of line ends", "state machine reached an invalid state", "spreadsheet", folder)


def row_cases(folder):
    """Nothing slips into another column, row or person."""
    good = row(Candidate_ID="1", Summary="C# developer")
    swapped = HEADER.replace("First name;Last name", "Last name;First name")
    short = "CSV Error on Line: 3"
    rows = [good, row(Candidate_ID="2", City='"Köln'), row(Candidate_ID="3"), row(Candidate_ID="4", City='Bonn"'), good]
    inside = row(Candidate_ID="2", City='"Bonn" am Rhein')
    stray = "after a stray quotation mark"
    adjacent = [good, row(Candidate_ID="2", Summary='"Led a team'), row(Candidate_ID="3", Changed_on='x"', Status="")]
    files = {
        "swapped headers": (f"{swapped}\n{good}", "begins with"),
        "a missing header": (good, "begins with"),
        "a renamed header": (sheet_of(good).replace("City", "Town"), "begins with"),
        "a space in a header": (sheet_of(good).replace("City", "City "), "begins with"),
        "an empty file": ("", "begins with no row, not with [Job ID"),
        "blank lines only": ("\n\n", "begins with no row"),
        "another delimiter": (sheet_of(good).replace(";", ","), "CSV Error on Line: 1"),
        "a short row": (sheet_of(good, good[1:].replace(";", "", 1)), short),
        "a long row": (sheet_of(good, good.replace(";", ";x;", 1)), short),
        "a download that was cut": (sheet_of(good, good[:40]), short),
        "empty cells after the last column": (sheet_of(good, good.replace("\n", ";;\n")), "44 delimiters, but 42 were read"),
        "a quotation mark that closes three rows later": (sheet_of(*rows), stray),
        "the same with Windows' line ends": (sheet_of(*rows).replace("\n", "\r\n"), stray),
        "a quotation mark that closes in the next row": (sheet_of(*adjacent), "56 delimiters, but 54 were read"),
        "a quotation mark that never closes": (sheet_of(good, row(Candidate_ID='"2'), good), "unterminated quote"),
        "a quotation mark inside a cell": (sheet_of(good, inside), "unterminated quote"),
        "a whole row in a cell": (sheet_of(row(Candidate_ID="1", Summary=f'"{HEADER}\nx"')), stray),
        "the header again, of a second sheet": (sheet_of(good, HEADER, "\n", good), '"Education" is not a course'),
    }
    for about, (text, message) in files.items():
        write_sheet(folder, text)
        yield from stops(about, message, "spreadsheet", folder)
    longest = "; " * (len(COLUMNS) - 2)
    kept = [row(Candidate_ID=f"{at}", Job_ID=job, Summary="C# developer") for at, job in enumerate(["#4007", "#N/A", "42"])]
    kept += [row(Candidate_ID="3", Summary=f'"Led\n{longest}"'), row(Candidate_ID="4", Summary=f'"{longest * 3}"')]
    write_sheet(folder, sheet_of(*kept, ";".join(['""'] * len(COLUMNS))))
    yield "texts with delimiters, line ends and comment characters", None, run("spreadsheet", folder)
    found = {one["user_id"]: (one["job_id"], one["summary"]) for one in records(folder)}
    about = [("#4007", "C# developer"), ("#N/A", "C# developer"), ("42", "C# developer")]
    about += [("42", f"Led\n{longest.strip()}"), ("42", (longest * 3).strip())]
    yield "texts, as written", {f"{at}": one for at, one in enumerate(about)}, found
    reader = ("comment = ''", "comment = '#'")
    yield from stops("rows read as comments", "delimiters, but", "spreadsheet", folder, adapted=reader)
    write_sheet(folder, f"{HEADER}\n")
    yield "a header only", None, run("spreadsheet", folder)
    yield "a header only: records", "", written(folder)
    yield "a header only: left out", "row,job_id,user_id\n", written(folder, "left_out.csv")


def cell_cases(folder):
    """Where a guess would store something else, the run stops. The rest is for the import to check."""
    form = " is not of the form"
    refused = {
        "Score": {cell: form for cell in ("8.5", "12.345", "1.234,5", "8,5 / 10", "n/a")},
        "Applied_on": {cell: form for cell in ("14/09/26 12:30", "2026-09-14 12:30", "14/09/2026")},
        "Changed_on": {"yesterday": form, "31/02/2026 09:00": "2026-2-31"},
        "Status": {cell: " is not a status (row 2)" for cell in ("", "Active", "on hold", "n/a")},
        "Education": {
            cell: " is not a course of five parts (row 2)"
            for cell in ("n/a", "-", "School", "School / BSc / Art / Music / 2012 / 2015", '"A / / / 2012 / 2015\nn/a"')
        },
    }
    for column, cells in refused.items():
        for cell, message in cells.items():
            write_sheet(folder, sheet_of(row(**{"Candidate_ID": "1", column: cell})))
            yield from stops(f"{column} {cell}", message, "spreadsheet", folder)
    times = {
        "29/03/2026 01:59": "2026-03-29T00:59",
        "29/03/2026 03:00": "2026-03-29T01:00",
        "01/01/2026 00:30": "2025-12-31T23:30",
    }
    write_sheet(folder, sheet_of(*(row(Candidate_ID=f"{at}", Applied_on=time) for at, time in enumerate(times))))
    yield "times", None, run("spreadsheet", folder)
    yield "times in UTC", [f"{time}:00.000Z" for time in times.values()], [one["created_at"] for one in records(folder)]
    phones = {
        "030 551234": "+4930551234",
        "(030) 55 12-34": "+4930551234",
        "030/551234": "+4930551234",
        "030 55 – 1234": "+4930551234",
        "001 202 555 0119": "+12025550119",
        "+49 30  551234": "+4930551234",
        "+1 (202) 555-0119": "+12025550119",
        # Left as written: none of these is a single number that can be dialled in this country.
        "030 5512/030 55": None,
        "030 551234 030 555678": None,
        '"030 551234\n030 555678"': "030 551234\n030 555678",
        "+49 (0)30 551234": None,
        "0049 (0)30 551234": None,
        "030 551234 ext. 5": None,
        "5550": None,
        "4,93055E+11": None,
        "call me": None,
    }
    write_sheet(folder, sheet_of(*(row(Candidate_ID=f"{at:02}", Phone=phone) for at, phone in enumerate(phones))))
    yield "telephone numbers", None, run("spreadsheet", folder)
    expected = [new or old for old, new in phones.items()]
    yield "telephone numbers, written", expected, [one["phone"] for one in records(folder)]
    run("spreadsheet", folder, settings={})
    as_given = [old if new is None or not old.startswith("+") else new for old, new in phones.items()]
    as_given[9] = phones['"030 551234\n030 555678"']
    yield "telephone numbers without a country", as_given, [one["phone"] for one in records(folder)]
    profiles = {
        "linkedin.example.com/in/ida?trk=x": "linkedin.example.com/in/ida",
        "https://linkedin.example.com/in/ida#about": "https://linkedin.example.com/in/ida",
        "yes": "yes",
        "n/a": "n/a",
        "#N/A": "#N/A",
    }
    write_sheet(folder, sheet_of(*(row(Candidate_ID=f"{at}", Profile=profile) for at, profile in enumerate(profiles))))
    yield "profiles", None, run("spreadsheet", folder)
    yield "profiles, written", list(profiles.values()), [one["linked_in"] for one in records(folder)]
    ids = ["NULL", "-", "N/A", "#REF!", "1,23457E+11", "x" * 300]
    rows = [row(Candidate_ID=one) for one in [*ids, "", ""]] + [row(Job_ID="", Candidate_ID="1")]
    write_sheet(folder, sheet_of(*rows))
    yield "ids that the import refuses", None, run("spreadsheet", folder)
    expected = sorted([("42", one) for one in [*ids, "", ""]] + [("", "1")])
    found = sorted((one["job_id"] or "", one["user_id"] or "") for one in records(folder))
    yield "each of these persons has a line", expected, found
    yield "their jobs", ["42"], [job["id"] for job in records(folder, "job")]


def second_application_cases(folder):
    """A person with two applications to a job, evening by evening."""
    older = {"Applied_on": "01/09/2026 09:00", "Changed_on": "02/09/2026 09:00", "City": "Older"}
    newer = {"Applied_on": "03/09/2026 09:00", "Changed_on": "04/09/2026 09:00", "City": "Newer"}
    untouched = {"Applied_on": "03/09/2026 09:00", "City": "Untouched"}
    evenings = {
        "both active": ([older, newer], "Newer"),
        "both active, in the other order": ([newer, older], "Newer"),
        "the newer one was rejected": ([older, {**newer, "Status": "rejected"}], "Older"),
        "both rejected": ([{**older, "Status": "rejected"}, {**newer, "Status": "hired"}], "Newer"),
        "the newer one was moved to another job": ([older, {**newer, "Job_ID": "43"}], "Older"),
        "the older one changed": ([{**older, "Changed_on": "05/09/2026 09:00"}, newer], "Older"),
        "one has never changed": ([older, untouched], "Untouched"),
        "both changed in the same minute": ([newer, {**newer, "Applied_on": older["Applied_on"], "City": "Other"}], "Newer"),
        "all times are the same": ([{**newer, "City": "Other"}, newer], "Newer"),
    }
    for about, (rows, city) in evenings.items():
        write_sheet(folder, sheet_of(*(row(Candidate_ID="1", **cells) for cells in rows)))
        yield about, None, run("spreadsheet", folder)
        left_out = [f"{at + 2},42,1\n" for at, cells in enumerate(rows) if "Job_ID" not in cells and cells["City"] != city]
        yield f"{about}: kept", [city], [one["city"] for one in records(folder) if one["job_id"] == "42"]
        yield f"{about}: left out", "".join(["row,job_id,user_id\n", *left_out]), written(folder, "left_out.csv")
    yield "no revision", False, "revision" in written(folder)


@contextmanager
def page(folder, name, text):
    """Gives a page another text, or adds a page, until the block ends."""
    file = folder / f"{name}.json"
    whole = file.read_bytes() if file.exists() else None
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    yield
    file.write_bytes(whole) if whole is not None else file.unlink()


def page_cases(folder):
    """Whatever is not a page, or refers to one that was not saved, stops the run."""
    for name, elements in GREENHOUSE.items():
        resource = name.split("-")[0]
        lacking = f"{resource}*.json has an element without"
        whole = json.dumps(elements)
        pages = {
            '{"message": "Rate limit exceeded"}': "Expected top-level JSON array",
            "": f"{name}.json is empty",
            "\n": f"{name}.json is empty",
            "<html>502 Bad Gateway</html>": "Expected top-level JSON array",
            "\n".join(map(json.dumps, [*elements, elements[0]])): "Expected top-level JSON array",
            whole[: len(whole) // 2]: "Malformed JSON",
            '[{"message": "Rate limit exceeded"}]': lacking,
            json.dumps([*elements, {**elements[0], "id": None}]): lacking,
            "[null]": lacking,
            json.dumps([*elements, elements[0]]): f"{resource}*.json has the id {elements[0]['id']} twice",
        }
        for reference in {"candidate_id", "job_id", "application_id"} & elements[0].keys():
            pages[json.dumps([*elements[1:], {**elements[0], reference: None}])] = lacking
        if name in ("candidates", "custom_field_options", "jobs-1"):
            pages["[]"] = f"{resource}*.json lacks"
        for text, message in pages.items():
            with page(folder, name, text):
                yield from stops(f"{name}: {text[:40]}", message, "greenhouse", folder)
        with page(folder, f"{resource}-1 (1)", json.dumps(elements[:1])):
            twice = f"{resource}*.json has the id {elements[0]['id']} twice"
            yield from stops(f"{name}: a page saved twice", twice, "greenhouse", folder)
        os.rename(folder / f"{name}.json", folder / f"{name}.saved")
        if not any(folder.glob(f"{resource}*.json")):
            yield from stops(f"{name}: not saved", "No files found", "greenhouse", folder)
        os.rename(folder / f"{name}.saved", folder / f"{name}.json")
    v1 = [{"id": 1, "candidate_id": 57, "prospect": False, "jobs": [{"id": 11}], "status": "active"}]
    day = "2026-09-10T00:26:14.966Z"
    statuses = {
        "applications-1": ([applied(1, 57, "active", day)], '"active" is not a status (application 1)'),
        "applications-2": ([applied(4, 58, None, day)], '"" is not a status (application 4)'),
        "jobs-2": ([{"id": 13, "status": "on_hold"}], '"on_hold" is not a status (job 13)'),
    }
    with page(folder, "applications-1", json.dumps(v1)):
        yield from stops("a page of v1", "applications*.json has an element without", "greenhouse", folder)
    for name, (elements, message) in statuses.items():
        with page(folder, name, json.dumps(elements)):
            yield from stops(message, message, "greenhouse", folder)
    with page(folder, "jobs-2", '[{"id": 13, "status": "closed", "name": "Köln"}]'.encode("latin-1")):
        yield from stops("a page in Latin-1", "UTF", "greenhouse", folder)


def same_cases(folder):
    """Pages in another form give the same records."""
    run("greenhouse", folder)
    expected = written(folder)

    def as_text(value):
        if isinstance(value, dict):
            return {name: str(one) if name.endswith("id") and one else as_text(one) for name, one in value.items()}
        return list(map(as_text, value)) if isinstance(value, list) else value

    for name, elements in GREENHOUSE.items():
        texts = {
            "pretty": json.dumps(elements, indent=2),
            "with a byte order mark": "\ufeff" + json.dumps(elements),
            "ids as text": json.dumps(as_text(elements)),
            "in the other order": json.dumps(elements[::-1]),
        }
        for form, text in texts.items():
            with page(folder, name, text), page(folder, f"{name.split('-')[0]}-9", "[]"):
                yield f"{name}, {form}", None, run("greenhouse", folder)
                yield f"{name}, {form}: records", expected, written(folder)


def value_cases(folder):
    [course] = GREENHOUSE["candidate_educations"]
    starts = {
        (2012, 8): "2012-08",
        (2012, "8"): "2012-08",
        (2012, None): "2012",
        (None, None): None,
        # The import refuses these.
        (12, 8): "12-08",
        (None, 8): "08",
        (2012, 812): "2012-812",
    }
    for (year, month), start in starts.items():
        other = {**course, "start_at": None, "start_date_year": year, "start_date_month": month}
        with page(folder, "candidate_educations", json.dumps([other])):
            yield f"the year {year} and the month {month}", None, run("greenhouse", folder)
            yield f"{year} and {month}, written", start, records(folder)[0]["education"][0]["start_date"]
    with page(folder, "candidate_educations", json.dumps([{**course, "start_date_month": "Aug"}])):
        yield from stops("the month Aug", "candidate_educations.json", "greenhouse", folder)
    rui, ana = GREENHOUSE["candidates"]
    ana = {**ana, "phone_numbers": [{"value": " "}, {"value": "call me"}]}
    ana["website_addresses"] = [{"value": "linkedin.example.com"}]
    rui = {**rui, "phone_numbers": None, "social_media_addresses": None}
    with page(folder, "candidates", json.dumps([rui, ana])):
        yield "values that the import refuses", None, run("greenhouse", folder)
        expected = [(None, "https://profiles.example.com/rui"), ("call me", "linkedin.example.com")]
        yield "these, written", expected, [(one["phone"], one["linked_in"]) for one in records(folder)]
    course = {**course, "id": 9, "degree_custom_field_option_id": 23, "start_at": course["start_at"]}
    both = [*GREENHOUSE["candidate_educations"], course]
    options = json.dumps([*GREENHOUSE["custom_field_options"], {"id": 23, "name": "Master's Degree"}])
    evenings = {"two courses": both, "one was deleted": both[:1], "the other was": both[1:], "both were": []}
    for about, courses in evenings.items():
        with page(folder, "candidate_educations", json.dumps(courses[::-1])), page(folder, "custom_field_options", options):
            yield about, None, run("greenhouse", folder)
            degrees = [one["degree"] for one in records(folder)[0]["education"] or []]
            names = {22: "Bachelor's Degree", 23: "Master's Degree"}
            yield f"{about}: written", [names[one["degree_custom_field_option_id"]] for one in courses], degrees


@functools.cache
def token_of(data, tenant):
    return npm("token", "--", "--tenant", tenant, "--data", str(data))


def read_application(data, job, candidate, tenant="default"):
    """None if the API has no such application."""
    base = json.loads((data / "service.json").read_text("utf-8"))["baseUrl"]
    job, candidate = (urllib.parse.quote(one, safe="") for one in (job, candidate))
    request = urllib.request.Request(f"{base}/v1/jobs/{job}/applications/{candidate}")
    request.add_header("Authorization", f"Bearer {token_of(data, tenant)}")
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


def night_cases(folder, data):
    """
    Evenings of a source, with the command of docs/data.md: after each, the API returns what the source has, and the report
    names everybody who is not stored as given.
    """
    tenant = f"nights-{os.getpid()}"
    adapted = (" AS type,", f" AS type, '{tenant}' AS tenant,")
    older = {"Candidate_ID": "1", "First_name": "Ida", "Applied_on": "01/09/2026 09:00", "City": "Older"}
    newer = {"Candidate_ID": "1", "First_name": "Ida", "Applied_on": "03/09/2026 09:00", "City": "Newer"}
    six = [{"Candidate_ID": f"p{at}", "First_name": "Tom", "City": "Bonn"} for at in range(6)]
    all_six = {("42", one["Candidate_ID"]): "Bonn" for one in six}
    odd = [{**six[0], "Phone": "call me"}, *({**six[1], "Candidate_ID": one} for one in ("NULL", "-", "N/A"))]
    missing = {("42", one["Candidate_ID"]): None for one in six[3:]}
    # Case, rows, the cities that the API returns, the exit code, and whom the report names.
    nights = [
        ("two active applications", [older, newer, *six], {**all_six, ("42", "1"): "Newer"}, 0, set()),
        ("the newer one is rejected", [older, {**newer, "Status": "rejected"}, *six], {("42", "1"): "Older"}, 0, set()),
        ("it is active again", [older, newer, *six], {("42", "1"): "Newer"}, 0, set()),
        ("and is moved", [older, {**newer, "Job_ID": "43"}, *six], {("42", "1"): "Older", ("43", "1"): "Newer"}, 0, set()),
        ("three people are missing", [older, {**newer, "Job_ID": "43"}, *six[:3]], missing, 0, {"p3", "p4", "p5"}),
        ("the file is whole again", [older, {**newer, "Job_ID": "43"}, *six], all_six, 0, set()),
        ("too many are missing", [older, six[0]], all_six, 1, {"1", "p1", "p2", "p3", "p4", "p5"}),
        ("odd values", [older, *odd, *six[1:]], all_six, 1, {"1", "p0", "NULL", "-", "N/A"}),
    ]
    for number, (about, rows, cities, code, named) in enumerate(nights):
        time = datetime.now(UTC).isoformat()
        write_sheet(folder, sheet_of(*(row(**cells) for cells in rows)))
        yield about, None, run("spreadsheet", folder, adapted=adapted)
        report = folder / f"report-{number}.ndjson"
        options = ["--complete-at", time, "--remove-at-most", "3", "--null-invalid", "--report", report, "--data", data]
        command = ["npm", "run", "-s", "import", "--", folder / "records.ndjson", *options]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        yield f"{about}: exit code", code, done.returncode
        found = {ids: read_application(data, *ids, tenant) for ids in cities}
        yield f"{about}: stored", cities, {ids: one and one["city"] for ids, one in found.items()}
        lines = report.read_text("utf-8").splitlines() if report.exists() else []
        yield f"{about}: report", named, {json.loads(line)["user_id"] for line in lines}


def service_cases(name, folder, data, applications, jobs, left_out):
    """Runs an example as docs/data.md does, imports its records, and reads them through the API."""
    (folder / f"{name}.sql").write_text(recipe(name), "utf-8")
    done = subprocess.run([PROGRAM, "-f", f"{name}.sql"], cwd=folder, capture_output=True, text=True)
    yield f"{name}: duckdb -f", (0, "", ""), (done.returncode, done.stdout, done.stderr)
    by_program = written(folder)
    yield f"{name}: left out", left_out, written(folder, "left_out.csv")
    yield f"{name}: in Python", None, run(name, folder)
    yield f"{name}: in Python, records", by_program, written(folder)
    yield f"{name}: statuses", jobs, {job["id"]: job["status"] for job in records(folder, "job")}
    counts = f"{len(jobs)} jobs and {len(applications)} applications stored, 0 lines refused."
    yield f"{name}: imported", counts, npm("import", "--", str(folder / "records.ndjson"), "--data", str(data))
    for (job, candidate), expected in applications.items():
        yield f"{name}: {job}, {candidate}", expected, read_application(data, job, candidate)


def all_cases(data):
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_sheet(folder, SHEET)
        yield from service_cases("spreadsheet", folder, data, SHEET_APPLICATIONS, SHEET_JOBS, SHEET_LEFT_OUT)
        yield from night_cases(folder, data)
        for cases in (program_cases, row_cases, cell_cases, second_application_cases):
            yield from cases(folder)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, elements in GREENHOUSE.items():
            (folder / f"{name}.json").write_text(json.dumps(elements), "utf-8")
        yield from service_cases("greenhouse", folder, data, GREENHOUSE_APPLICATIONS, GREENHOUSE_JOBS, GREENHOUSE_LEFT_OUT)
        for cases in (page_cases, same_cases, value_cases):
            yield from cases(folder)
        os.chdir(ROOT)


def main(folder) -> int:
    count, different = 0, 0
    for about, expected, found in all_cases(Path(folder).resolve()):
        count += 1
        if expected != found:
            different += 1
            print(f"{about}:\n  {expected}\n  {found}")
    print(f"{count} cases, {different} different")
    return 1 if different else 0


sys.exit(main(*sys.argv[1:]))
