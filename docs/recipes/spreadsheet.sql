-- Turns a spreadsheet of applications into the records jobs.ndjson and applications.ndjson, which docs/data.md shows how
-- to import. Copy this file into the folder of applications.csv, adapt the columns, and run it there with DuckDB 1.5 or
-- later (https://duckdb.org):
--
--     duckdb -f spreadsheet.sql
--
-- Encodings: DuckDB reads 'utf-8', 'utf-16' and 'latin-1'. Excel's plain CSV is Windows-1252, in which € and ’ are other
-- bytes than in Latin-1. DuckDB refuses these ("File is not latin-1 encoded"); many other programs silently turn them into
-- control characters. Save the sheet as "CSV UTF-8", or convert the file first:
--
--     iconv -f WINDOWS-1252 -t UTF-8 excel.csv > applications.csv

-- Text without white space at its ends (160 is the no-break space); NULL if nothing is left.
CREATE OR REPLACE TEMP MACRO clean(cell) AS nullif(trim(cell, ' ' || chr(9) || chr(10) || chr(13) || chr(160)), '');

-- With `all_varchar`, DuckDB guesses no types: job 0042 stays 0042.
CREATE OR REPLACE TEMP TABLE applications AS
SELECT
  'application' AS type,
  clean("Job ID") AS job_id,
  clean("Candidate ID") AS user_id,
  concat_ws(' ', clean("First name"), clean("Last name")) AS name,
  coalesce(clean("E-mail"), clean("Candidate ID") || '@no-address.invalid') AS email,
  clean("Phone") AS phone,
  regexp_replace(clean("Profile"), '^https?://', '') AS linked_in,
  clean("City") AS city,
  clean("Summary") AS summary,
  -- One line of the cell for each course: school / degree / subject / from / until.
  list_transform(
    list_filter(string_split("Education", chr(10)), lambda line: clean(line) IS NOT NULL),
    lambda line: {
      'institution': clean(split_part(line, '/', 1)),
      'degree': clean(split_part(line, '/', 2)),
      'field_of_study': clean(split_part(line, '/', 3)),
      'start_date': clean(split_part(line, '/', 4)),
      'end_date': clean(split_part(line, '/', 5)),
      'current': clean(split_part(line, '/', 5)) IS NULL
    }
  ) AS education,
  lower(clean("Stage")) AS stage_id,
  clean("Stage") AS stage_title,
  -- 1.234,5 is 1234.5.
  CAST(replace(replace(clean("Score"), '.', ''), ',', '.') AS DOUBLE) AS score,
  -- The sheet has local times, and records have UTC.
  strftime(
    strptime(clean("Applied on"), '%d/%m/%Y %H:%M') AT TIME ZONE 'Europe/Berlin' AT TIME ZONE 'UTC',
    '%Y-%m-%dT%H:%M:%S.000Z'
  ) AS created_at,
  clean("Status") = 'active' AS active
FROM read_csv(
  'applications.csv', encoding = 'utf-8', delim = ';', quote = '"', escape = '"', header = true, all_varchar = true
);

-- Of several applications of a person to a job, the service stores one: the active and newest.
COPY (
  SELECT * EXCLUDE (active)
  FROM applications
  QUALIFY row_number() OVER (PARTITION BY job_id, user_id ORDER BY active DESC, created_at DESC) = 1
  ORDER BY job_id, user_id
) TO 'applications.ndjson' (FORMAT json);

SELECT job_id, user_id, created_at AS left_out
FROM applications
QUALIFY row_number() OVER (PARTITION BY job_id, user_id ORDER BY active DESC, created_at DESC) > 1
ORDER BY ALL;

-- The sheet has no statuses of jobs, so new jobs start as drafts; existing jobs stay as they are.
COPY (SELECT DISTINCT 'job' AS type, job_id AS id, 'draft' AS status FROM applications ORDER BY id)
TO 'jobs.ndjson' (FORMAT json);
