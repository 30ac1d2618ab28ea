-- Turns a spreadsheet of applications into records.ndjson, which docs/data.md shows how to import. Copy this file into the
-- folder of applications.csv, adapt the columns, and run it there with DuckDB 1.5 or later (https://duckdb.org):
--
--     duckdb -f spreadsheet.sql
--
-- Save the sheet as "CSV UTF-8", or convert the file. Excel's plain CSV is Windows-1252:
--
--     iconv -f WINDOWS-1252 -t UTF-8 excel.csv > applications.csv
--
-- DuckDB stops at a row, a cell or a status that this file does not expect, and records.ndjson stays empty. All other
-- values are written as they are: the import checks them.

COPY (SELECT 1 WHERE false) TO 'records.ndjson' (FORMAT json);

-- What separates cells. Google Sheets writes ',', and so does Excel where decimals have a point.
SET VARIABLE delimiter = ';';
-- For national telephone numbers: the country code, their form (group 1 is what follows the prefix), and what is dialed
-- before a foreign number. Germany: '+49', '0([1-9][0-9]{5,10})', '00'. United States: '+1', '1?([2-9][0-9]{9})', '011'.
SET VARIABLE country = NULL::VARCHAR;
SET VARIABLE national = NULL::VARCHAR;
SET VARIABLE abroad = NULL::VARCHAR;

-- Text without white space at its ends (160 is the no-break space); NULL if nothing is left.
CREATE OR REPLACE TEMP MACRO clean(cell) AS nullif(trim(cell, ' ' || chr(9) || chr(10) || chr(13) || chr(160)), '');
-- Stops at a cell of another form: a guess could store a wrong number or date.
CREATE OR REPLACE TEMP MACRO checked(cell, form, example, place) AS
  CASE WHEN clean(cell) IS NULL OR regexp_full_match(clean(cell), form) THEN clean(cell)
  ELSE error(concat('"', cell, '" is not of the form ', example, ' (', place, ')')) END;
-- Replace Europe/Berlin with the sheet's time zone. Records have UTC.
CREATE OR REPLACE TEMP MACRO utc_of(cell, place) AS strftime(
  strptime(checked(cell, '([0-9]{2}/){2}[0-9]{4} [0-9]{2}:[0-9]{2}', '14/09/2026 12:30', place), '%d/%m/%Y %H:%M')
    AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.000Z'
);
-- NULL unless the cell is one number; its area code may be in parentheses or before a slash. `phone_of` keeps other text.
CREATE OR REPLACE TEMP MACRO digits_of(cell) AS CASE
  WHEN regexp_full_match(clean(cell), '\+?([0-9]{0,4}\pZ?\([0-9]{2,6}\)|[0-9]{2,6}\pZ?/)?[0-9\pZ\p{Pd}−.]+')
  THEN regexp_replace(cell, '[^0-9]', '', 'g') END;
CREATE OR REPLACE TEMP MACRO phone_of(cell) AS CASE
  WHEN starts_with(clean(cell), '+') THEN coalesce('+' || digits_of(cell), clean(cell))
  WHEN regexp_full_match(digits_of(cell), getvariable('national'))
  THEN getvariable('country') || regexp_extract(digits_of(cell), '^' || getvariable('national') || '$', 1)
  WHEN starts_with(digits_of(cell), getvariable('abroad')) THEN '+' || digits_of(cell)[length(getvariable('abroad')) + 1:]
  ELSE clean(cell) END;
CREATE OR REPLACE TEMP MACRO delimiters_in(text) AS len(string_split(text, getvariable('delimiter'))) - 1;

-- The first line is read as data and compared below: otherwise swapped columns would end up in wrong members, and a missing
-- header would cost the first person. Line ends must be alike.
CREATE OR REPLACE TEMP TABLE sheet AS
FROM read_csv(
  'applications.csv', auto_detect = false, header = false, delim = getvariable('delimiter'), quote = '"', escape = '"',
  comment = '', encoding = 'utf-8', nullstr = '', columns = {
    'Job ID': 'VARCHAR', 'Candidate ID': 'VARCHAR', 'First name': 'VARCHAR', 'Last name': 'VARCHAR', 'E-mail': 'VARCHAR',
    'Phone': 'VARCHAR', 'Profile': 'VARCHAR', 'City': 'VARCHAR', 'Education': 'VARCHAR', 'Stage': 'VARCHAR',
    'Score': 'VARCHAR', 'Applied on': 'VARCHAR', 'Changed on': 'VARCHAR', 'Status': 'VARCHAR', 'Summary': 'VARCHAR'
  }
);
SET VARIABLE header = (SELECT list(column_name)::VARCHAR FROM (DESCRIBE sheet));
SET VARIABLE row_delimiters = (SELECT count(*) - 1 FROM (DESCRIBE sheet));

-- Stops, or does nothing. A stray quotation mark that joins rows puts at least a row's delimiters into one cell, or leaves
-- empty cells after the last column, which DuckDB drops.
SET VARIABLE checks = (
  SELECT CASE
    WHEN first_row IS DISTINCT FROM getvariable('header')
    THEN error(concat('applications.csv begins with ', coalesce(first_row, 'no row'), ', not with ', getvariable('header')))
    WHEN joined IS NOT NULL THEN error(concat('a cell holds rows, after a stray quotation mark: ', joined[:300]))
    WHEN found <> read THEN error(concat('applications.csv has ', found, ' delimiters, but ', read, ' were read'))
  END
  FROM (
    SELECT
      (SELECT list_value(*COLUMNS(*))::VARCHAR FROM sheet WHERE rowid = 0) AS first_row,
      min(cell) FILTER (regexp_matches(cell, '[\r\n]') AND delimiters_in(cell) >= getvariable('row_delimiters')) AS joined,
      (SELECT delimiters_in(content) FROM read_text('applications.csv')) AS found,
      (SELECT count(*) FROM sheet) * getvariable('row_delimiters') + sum(delimiters_in(cell)) AS read
    FROM (SELECT unnest(list_value(*COLUMNS(*))) AS cell FROM sheet)
  )
);

CREATE OR REPLACE TEMP TABLE applications AS
SELECT
  'application' AS type,
  clean("Job ID") AS job_id,
  clean("Candidate ID") AS user_id,
  concat_ws(' ', clean("First name"), clean("Last name")) AS name,
  coalesce(clean("E-mail"), clean("Candidate ID") || '@no-address.invalid') AS email,
  phone_of("Phone") AS phone,
  -- Without a query or a fragment.
  regexp_replace(clean("Profile"), '([^?#])[?#].*', '\1') AS linked_in,
  clean("City") AS city,
  clean("Summary") AS summary,
  -- One line of the cell for each course: school / degree / subject / from / until.
  list_transform(
    list_filter(string_split("Education", chr(10)), lambda line: clean(line) IS NOT NULL),
    lambda line: CASE len(string_split(line, '/')) WHEN 5 THEN {
      'institution': clean(split_part(line, '/', 1)),
      'degree': clean(split_part(line, '/', 2)),
      'field_of_study': clean(split_part(line, '/', 3)),
      'start_date': clean(split_part(line, '/', 4)),
      'end_date': clean(split_part(line, '/', 5)),
      'current': clean(split_part(line, '/', 5)) IS NULL
    } ELSE error(concat('"', line, '" is not a course of five parts (', place, ')')) END
  ) AS education,
  lower(clean("Stage")) AS stage_id,
  clean("Stage") AS stage_title,
  CAST(replace(checked("Score", '-?[0-9]+(,[0-9]+)?', '8,5', place), ',', '.') AS DOUBLE) AS score,
  utc_of("Applied on", place) AS created_at,
  utc_of("Changed on", place) AS changed_at,
  CASE clean("Status")
    WHEN 'active' THEN true
    WHEN 'hired' THEN false
    WHEN 'rejected' THEN false
    ELSE error(concat('"', "Status", '" is not a status (', place, ')'))
  END AS active,
  row
-- Without the header, and without empty rows, which often end a sheet.
FROM (
  SELECT *, rowid + 1 AS row, concat('row ', rowid + 1) AS place
  FROM sheet
  WHERE rowid > 0 AND concat(*COLUMNS(*)) <> ''
);

-- The service stores one application per person and job: active before inactive, then the newest. Rows without an id all
-- stay, for the import to refuse.
CREATE OR REPLACE TEMP TABLE ranked AS
SELECT *, row_number() OVER (
  PARTITION BY job_id, user_id, CASE WHEN job_id IS NULL OR user_id IS NULL THEN row END
  ORDER BY active DESC, coalesce(changed_at, created_at) DESC, created_at DESC, row DESC
) AS rank
FROM applications;
COPY (SELECT row, job_id, user_id FROM ranked WHERE rank > 1 ORDER BY row) TO 'left_out.csv';

-- The sheet has no statuses of jobs, so new jobs start as drafts. `FORMAT json` would write every member into every record.
COPY (
  SELECT to_json(job)
  FROM (SELECT DISTINCT 'job' AS type, job_id AS id, 'draft' AS status FROM ranked WHERE id IS NOT NULL ORDER BY id) AS job
  UNION ALL
  SELECT to_json(one)
  FROM (SELECT * EXCLUDE (changed_at, active, row, rank) FROM ranked WHERE rank = 1 ORDER BY job_id, user_id, row) AS one
) TO 'records.ndjson' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\x01');
