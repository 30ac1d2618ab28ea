"""
Runs the examples of docs/recipes with DuckDB on invented files, imports their records into a running local service, and compares
what the API returns with what the files say. Takes the service's data folder:

    python3 -m venv /tmp/duckdb && /tmp/duckdb/bin/pip install duckdb==2.0.1
    /tmp/duckdb/bin/python test/outside/recipes-check.py .local
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
# What the API returns for members that a record lacks.
NOTHING = dict.fromkeys("phone linked_in city region country summary position score resume_url video_url".split())
NOTHING |= {"education": [], "experience": [], "evaluations": []}
COURSE = dict.fromkeys("institution degree field_of_study start_date end_date current location description".split())
POSITION = dict.fromkeys("title company start_date end_date current location description".split())

SHEET = """\
Job ID;Candidate ID;First name;Last name;E-mail;Phone;Profile;City;Education;Stage;Score;Applied on;Changed on;Status;Summary
0042;007;Zoé;D’Example;zoe@example.com;+49 30 1234;https://profiles.example.com/zoe?trk=x;Köln;"Example University / BSc / Physics; Maths / 2012 / 2015

Example College // Art / 2024-10 /";Interview;8,5;14/09/2026 12:30;15/09/2026 08:00;active;"Earned ""600 €""; led a team
of three"
0042;008;\u00a0Tom\u00a0;;;0049 30 1234;yes;;;Applied;1234,5;01/02/2026 00:15;;rejected;C# developer
0042;007;Zoé;D’Example;zoe@example.com;;;;;Applied;;15/09/2026 12:30;;rejected;
0042;007;Zoé;D’Example;zoe@example.com;;;;;Applied;;13/09/2026 23:30;;active;
0007;007;Zoé;D’Example;zoe@example.com;030 5550-123;;;;Applied;0;31/03/2026 09:00;;active;
#4007;009;Ida;;;5550;n/a;#N/A;;Applied;;31/03/2026 09:00;;active;C# developer
;;;;;;;;;;;;;;
"""
ZOE = {**NOTHING, "user_id": "007", "name": "Zoé D’Example", "email": "zoe@example.com"}
SHEET_APPLICATIONS = {
    ("0042", "007"): {
        **ZOE,
        "phone": "+49 30 1234",
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
        "phone": "+49301234",
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
        "summary": "C# developer",
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
SHEET_NAMED = [
    ("0042", "007", "2026-09-13T21:30:00.000Z"),
    ("0042", "007", "2026-09-15T10:30:00.000Z"),
    ("#4007", "009", "linked_in", "n/a"),
    ("#4007", "009", "phone", "5550"),
    ("0042", "008", "linked_in", "yes"),
]
SHEET_REVISIONS = {("0042", "007"): 1789452000000}


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
            answers=[
                {"question": "Why us?", "answer": "Yes."},
                {"question": "Are you on LinkedIn?", "answer": "yes"},
                {"question": "Your LinkedIn profile", "answer": "https://profiles.example.com/rui?trk=x#about"},
            ],
        ),
        applied(3, 57, "in_process", "2026-08-09T00:26:14.966Z"),
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
            "updated_at": "2026-09-01T00:00:00.000Z",
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
            "phone_numbers": [{"value": "call me"}],
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
            "updated_at": "2026-09-02T00:00:00.500Z",
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
        "linked_in": "linkedin.example.com/ana",
        "stage_id": "hired",
        "stage_title": "hired",
        "created_at": "2026-07-01T08:00:00.000Z",
    },
}
GREENHOUSE_NAMED = [
    ("gh:11", "gh:57", "2026-08-09T00:26:14.966Z"),
    ("gh:11", "gh:57", "2026-09-10T00:26:14.966Z"),
    (None, "gh:58", "2026-07-02T08:00:00.000Z"),
    ("gh:11", "gh:58", "phone", "call me"),
]
# The greatest time of change: of an education, and of an application.
GREENHOUSE_REVISIONS = {("gh:11", "gh:57"): 1788307200500, ("gh:11", "gh:58"): 1782892800000}


# What an author sets.
COUNTRIES = {
    "spreadsheet": {"country": "+49", "national": "0([1-9][0-9]+)", "abroad": "00"},
    "greenhouse": {"country": "+1", "national": "1?([2-9][0-9]{9})", "abroad": "011"},
}
UNSET = {}


def run_sql(name, folder, country=None, adapted=("", "")):
    """Returns the rows that the example prints."""
    sql = (ROOT / f"docs/recipes/{name}.sql").read_text("utf-8").replace(*adapted)
    for variable, value in (COUNTRIES[name] if country is None else country).items():
        sql = sql.replace(f"SET VARIABLE {variable} = NULL::VARCHAR;", f"SET VARIABLE {variable} = '{value}';")
    os.chdir(folder)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Tokyo'")
        printed = []
        for statement in connection.extract_statements(sql):
            result = connection.execute(statement)
            if statement.type == duckdb.StatementType.SELECT:
                printed += result.fetchall()
        return printed


def error_of(*run, **options):
    """The part of the error message that tells a person what to correct."""
    try:
        run_sql(*run, **options)
        return "no error"
    except duckdb.Error as error:
        text = str(error)
        known = r"not \S+ encoded|Make sure .* file encoding|\S+ lacks|\S+ is not a page|\S+ has an element without|\S+ has the id \d+ twice|has \d+ rows, but \d+ were read|\".*\" is not of the form .*|\d+ applications read, but \d+"
        found = re.search(known, text)
        return found[0] if found else text


def records(folder, name="applications"):
    # splitlines() would also split at characters other than newlines.
    return [json.loads(line) for line in (folder / f"{name}.ndjson").read_text("utf-8").rstrip("\n").split("\n")]


def npm(*args):
    return subprocess.run(["npm", "run", "-s", *args], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def write_sheet(folder, data):
    (folder / "applications.csv").write_bytes(data)


def encoding_cases(folder):
    write_sheet(folder, SHEET.encode("utf-8"))
    run_sql("spreadsheet", folder)
    as_utf_8 = records(folder)
    refusals = {"WINDOWS-1252": "not utf-8 encoded", "UTF-16": "make sure you are using the correct file encoding"}
    for encoding, refusal in refusals.items():
        iconv = ["iconv", "-f", encoding, "-t", "UTF-8"]
        write_sheet(folder, subprocess.run(iconv, input=SHEET.encode(encoding), check=True, capture_output=True).stdout)
        run_sql("spreadsheet", folder)
        yield f"{encoding}, converted", as_utf_8, records(folder)
        write_sheet(folder, SHEET.encode(encoding))
        yield f"{encoding}, not converted", refusal, error_of("spreadsheet", folder).lower()


def sheet_cases(folder):
    """A cell of another form stops the run, and nothing of an earlier run is left to import."""
    cells = {
        ";8,5;": [";8.5;", ";12.345;", ";1.234,5;", ";8,5 / 10;"],
        "/ 2012 /": ["/ 12 /", "/ 2012-8 /"],
        ";14/09/2026 12:30;": [";14/09/26 12:30;", ";2026-09-14 12:30;"],
    }
    for cell, others in cells.items():
        for other in others:
            write_sheet(folder, SHEET.encode("utf-8"))
            run_sql("spreadsheet", folder)
            write_sheet(folder, SHEET.replace(cell, other).encode("utf-8"))
            expected = f'"{other.strip(";/")}" is not of the form'
            yield f"the cell {other}", expected, error_of("spreadsheet", folder)[: len(expected)]
            left = [(folder / f"{name}.ndjson").read_bytes() for name in ("jobs", "applications")]
            yield f"records after {other}", [b"", b""], left
    header = SHEET.split("\n", 1)[0]
    jobs = ["#4007", "#N/A", "42", "43"]
    rows = [f"{job};{at};Ida;;;;;;;Applied;;31/03/2026 09:00;;active;C# developer\n" for at, job in enumerate(jobs)]
    write_sheet(folder, "".join([header, "\n", *rows]).encode("utf-8"))
    run_sql("spreadsheet", folder)
    yield "rows that look like comments", [(job, "C# developer") for job in jobs], [
        (one["job_id"], one["summary"]) for one in records(folder)
    ]
    reader = ("comment = '', ", "")
    lost = error_of("spreadsheet", folder, adapted=reader)
    yield "rows that look like comments, read as such", "has 4 rows, but 2 were read", lost
    others = '5"7;010;"Ida;\n";;;;;;;"Applied";;31/03/2026 09:00;;active;5" pipe\n' + ";".join(['""'] * 15) + "\n"
    write_sheet(folder, (SHEET + others).replace("\n", "\r\n").encode("utf-8-sig"))
    yield "quoted cells, lines without a value and other line ends", SHEET_NAMED, run_sql("spreadsheet", folder)
    phones = {
        "+49 30  1234": "+49 30 1234",
        "+49\u00a030 – 1234": "+49 30 - 1234",
        "030  55 – 501": "+493055501",
        "001 202 555 0119": "+12025550119",
        "5550": None,
        "call me": None,
    }
    rows = [f"42;{at};Ida;;;{phone};;;;Applied;;31/03/2026 09:00;;active;\n" for at, phone in enumerate(["011 5550", *phones])]
    write_sheet(folder, "".join([header, "\n", *rows]).encode("utf-8"))
    run_sql("spreadsheet", folder)
    yield "telephone numbers", ["+49115550", *phones.values()], [one["phone"] for one in records(folder)]
    named = [phone for _, _, _, phone in run_sql("spreadsheet", folder, UNSET)]
    yield "telephone numbers without a country", ["011 5550", *list(phones)[2:]], named
    yield "telephone numbers without a country, stored", [None, *list(phones.values())[:2], *[None] * 4], [
        one["phone"] for one in records(folder)
    ]
    without_id = "0042;;Nora;;nora@example.com;;;;;Applied;;01/02/2026 00:15;;active;\n"
    write_sheet(folder, (SHEET + without_id * 2).encode("utf-8"))
    yield "rows without an id", SHEET_NAMED, run_sql("spreadsheet", folder)
    yield "rows without an id, which the import refuses", 2, sum(one["user_id"] is None for one in records(folder))


def page_cases(folder):
    """Whatever is not a page, or refers to one that was not saved, stops the run, and nothing is left to import."""
    for name in GREENHOUSE:
        file = folder / f"{name}.json"
        whole = file.read_text("utf-8")
        elements = json.loads(whole)
        lacking = f"{name.split('-')[0]}*.json has an element without"
        pages = {
            '{"message": "Rate limit exceeded"}': f"{file.name} is not a page",
            "": f"{file.name} is not a page",
            "<html>502 Bad Gateway</html>": f"{file.name} is not a page",
            '[{"message": "Rate limit exceeded"}]': lacking,
            json.dumps([*elements, {**elements[0], "id": None}]): lacking,
            "[null]": lacking,
        }
        for reference in {"candidate_id", "job_id", "application_id"} & elements[0].keys():
            pages[json.dumps([*elements[1:], {**elements[0], reference: None}])] = lacking
        if name in ("candidates", "custom_field_options", "jobs-1"):
            pages["[]"] = f"{name.split('-')[0]}*.json lacks"
        for page, expected in pages.items():
            run_sql("greenhouse", folder)
            file.write_text(page, "utf-8")
            yield f"{name}: {page[:40]}", expected, error_of("greenhouse", folder)
            yield f"{name}: {page[:40]}, records", b"", (folder / "applications.ndjson").read_bytes()
            file.write_text(whole, "utf-8")
        again = folder / f"{name.split('-')[0]}-again.json"
        again.write_text(json.dumps(elements[:1]), "utf-8")
        expected = f"{name.split('-')[0]}*.json has the id {elements[0]['id']} twice"
        yield f"{name}: an element saved twice", expected, error_of("greenhouse", folder)
        again.unlink()
    inner = ("LEFT JOIN courses", "JOIN courses")
    yield "a join that loses rows", "5 applications read, but 3", error_of("greenhouse", folder, adapted=inner)


def value_cases(folder):
    file = folder / "candidate_educations.json"
    whole = file.read_text("utf-8")
    years_and_months = {
        (12, 8): '"12" is not of the form 2012 (candidate 57)',
        (None, 8): '"month 8" is not of the form 2012 (candidate 57)',
        (2012, "Aug"): '"Aug" is not of the form 8 (candidate 57)',
        (2012, 812): '"812" is not of the form 8 (candidate 57)',
        (2012, 13): '"13" is not of the form 8 (candidate 57)',
        (2012, "08"): "no error",
        (2012, None): "no error",
        (None, None): "no error",
    }
    for (year, month), expected in years_and_months.items():
        [course] = json.loads(whole)
        course |= {"start_at": None, "start_date_year": year, "start_date_month": month}
        file.write_text(json.dumps([course]), "utf-8")
        yield f"the year {year} and the month {month}", expected, error_of("greenhouse", folder)
        if expected == "no error":
            start = f"{year}-{month}" if month else str(year) if year else None
            yield f"{year} and {month}, stored", start, records(folder)[0]["education"][0]["start_date"]
    file.write_text(whole, "utf-8")
    file = folder / "candidates.json"
    whole = file.read_text("utf-8")
    file.write_text(whole.replace("example.com/ana", "example.com"), "utf-8")
    named = [*GREENHOUSE_NAMED[:3], ("gh:11", "gh:58", "linked_in", "http://linkedin.example.com"), *GREENHOUSE_NAMED[3:]]
    yield "a profile without path", named, run_sql("greenhouse", folder)
    file.write_text(whole, "utf-8")
    named = [*GREENHOUSE_NAMED[:3], ("gh:11", "gh:57", "phone", "202-555-0119"), *GREENHOUSE_NAMED[3:]]
    yield "a telephone number without a country", named, run_sql("greenhouse", folder, UNSET)


def service_cases(name, folder, data, applications, named, revisions, jobs):
    """Runs an example, imports its records, and reads them through the API."""
    yield f"{name}: named", named, run_sql(name, folder)
    found = {(one["job_id"], one["user_id"]): one["revision"] for one in records(folder) if one["revision"]}
    yield f"{name}: revisions", revisions, found
    counts = f"{len(jobs)} job{'s' if len(jobs) > 1 else ''} and 0 applications stored, 0 lines refused."
    yield f"{name}: jobs", counts, npm("import", "--", str(folder / "jobs.ndjson"), "--data", str(data))
    yield f"{name}: statuses", jobs, {job["id"]: job["status"] for job in records(folder, "jobs")}
    counts = f"0 jobs and {len(applications)} applications stored, 0 lines refused."
    yield f"{name}: applications", counts, npm("import", "--", str(folder / "applications.ndjson"), "--data", str(data))
    base = json.loads((data / "service.json").read_text("utf-8"))["baseUrl"]
    authorization = {"Authorization": f"Bearer {npm('token', '--', '--data', str(data))}"}
    for (job, candidate), expected in applications.items():
        job, candidate = (urllib.parse.quote(one, safe="") for one in (job, candidate))
        request = urllib.request.Request(f"{base}/v1/jobs/{job}/applications/{candidate}", headers=authorization)
        with urllib.request.urlopen(request) as response:
            yield f"{name}: {job}, {candidate}", expected, json.load(response)


def all_cases(data):
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        yield from encoding_cases(folder)
        write_sheet(folder, SHEET.encode("utf-8-sig"))
        jobs = {"#4007": "draft", "0007": "draft", "0042": "draft"}
        yield from service_cases("spreadsheet", folder, data, SHEET_APPLICATIONS, SHEET_NAMED, SHEET_REVISIONS, jobs)
        yield from sheet_cases(folder)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, page in GREENHOUSE.items():
            (folder / f"{name}.json").write_text(json.dumps(page), "utf-8")
        jobs = {"gh:11": "published", "gh:13": "closed"}
        yield from service_cases("greenhouse", folder, data, GREENHOUSE_APPLICATIONS, GREENHOUSE_NAMED, GREENHOUSE_REVISIONS, jobs)
        yield from page_cases(folder)
        yield from value_cases(folder)
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
