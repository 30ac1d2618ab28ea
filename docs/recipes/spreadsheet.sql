-- Turns a spreadsheet of applications into the records jobs.ndjson and applications.ndjson, which docs/data.md shows how
-- to import. Copy this file into the folder of applications.csv, adapt the columns, and run it there with DuckDB 1.5 or
-- later (https://duckdb.org):
--
--     duckdb -f spreadsheet.sql
--
-- It reads UTF-8. Save the sheet as "CSV UTF-8", or convert the file first. Excel's plain CSV is Windows-1252:
--
--     iconv -f WINDOWS-1252 -t UTF-8 excel.csv > applications.csv
--
-- At a cell that has another form than the checks below expect, DuckDB stops, and the two files stay empty.

COPY (SELECT 1 WHERE false) TO 'applications.ndjson' (FORMAT json);
COPY (SELECT 1 WHERE false) TO 'jobs.ndjson' (FORMAT json);

-- Until you set these, telephone numbers without `+` become null and are printed: their country, how a national number
-- looks (group 1 is what follows the prefix), and what is dialed before a foreign one. Germany: '+49', '0([1-9][0-9]+)' and
-- '00'. United States: '+1', '1?([2-9][0-9]{9})' and '011'.
SET VARIABLE country = NULL::VARCHAR;
SET VARIABLE national = NULL::VARCHAR;
SET VARIABLE abroad = NULL::VARCHAR;

-- Text without white space at its ends (160 is the no-break space); NULL if nothing is left.
CREATE OR REPLACE TEMP MACRO clean(cell) AS nullif(trim(cell, ' ' || chr(9) || chr(10) || chr(13) || chr(160)), '');
-- Stops at a cell of another form: a guess would store another number or date.
CREATE OR REPLACE TEMP MACRO checked(cell, form, example, place) AS
  CASE WHEN clean(cell) IS NULL OR regexp_full_match(clean(cell), form) THEN clean(cell)
  ELSE error(concat('"', cell, '" is not of the form ', example, ' (', place, ')')) END;
-- Set the time zone of the sheet's times in place of Europe/Berlin.
CREATE OR REPLACE TEMP MACRO time_of(cell, place) AS strptime(
  checked(cell, '[0-9]{2}/[0-9]{2}/[0-9]{4} [0-9]{2}:[0-9]{2}', '14/09/2026 12:30', place), '%d/%m/%Y %H:%M'
) AT TIME ZONE 'Europe/Berlin';
CREATE OR REPLACE TEMP MACRO international(number) AS
  CASE WHEN regexp_full_match(
    number, '\+[1-9](\)?( ?[-./] ?| )?\(?[0-9]){6,14}( ?([Ee][Xx][Tt]\.?|[Xx]) ?[0-9]{1,8})?'
  ) THEN number END;
CREATE OR REPLACE TEMP MACRO phone_of_digits(digits) AS international(
  CASE
    WHEN regexp_full_match(digits, getvariable('national'))
    THEN getvariable('country') || regexp_extract(digits, '^' || getvariable('national') || '$', 1)
    WHEN starts_with(digits, getvariable('abroad')) THEN '+' || digits[length(getvariable('abroad')) + 1:]
  END
);
-- Any white space as one space, any dash as a hyphen.
CREATE OR REPLACE TEMP MACRO tidy(cell) AS
  regexp_replace(regexp_replace(clean(cell), '[\s\pZ]+', ' ', 'g'), '[\p{Pd}−]+', '-', 'g');
-- NULL if it is not a telephone number, or no country prefix can be added.
CREATE OR REPLACE TEMP MACRO phone_of(cell) AS coalesce(
  international(tidy(cell)),
  CASE WHEN regexp_full_match(tidy(cell), '[0-9 ()./-]+') THEN phone_of_digits(regexp_replace(cell, '[^0-9]', '', 'g')) END
);
-- Host and path, without what follows `?` or `#`; NULL if it is not a profile.
CREATE OR REPLACE TEMP MACRO profile_of(cell) AS nullif(
  regexp_extract(
    clean(cell),
    '^(?:[Hh][Tt][Tt][Pp][Ss]?://)?((?:[\pL\pN_-]+\.)+[\pL_-][\pL\pN_-]*/[^?#\\\s]*)(?:[?#]\S*)?$', 1
  ), ''
);

-- Sets all that DuckDB would guess, but for line ends, which must be alike. Without `comment = ''`, a cell `#N/A` may drop
-- its row and cut "C# developer" to "C". With `all_varchar`, job 0042 stays 0042.
CREATE OR REPLACE TEMP TABLE sheet AS
SELECT row_number() OVER () AS number, *
FROM read_csv(
  'applications.csv', comment = '', encoding = 'utf-8', delim = ';', quote = '"', escape = '"', header = true, skip = 0,
  all_varchar = true, nullstr = '', null_padding = false, strict_mode = true, ignore_errors = false
)
-- Rows without a value, which often end a sheet.
WHERE concat(*COLUMNS(*)) <> '';

CREATE OR REPLACE TEMP TABLE applications AS
SELECT
  'application' AS type,
  clean("Job ID") AS job_id,
  clean("Candidate ID") AS user_id,
  concat_ws(' ', clean("First name"), clean("Last name")) AS name,
  coalesce(clean("E-mail"), clean("Candidate ID") || '@no-address.invalid') AS email,
  phone_of("Phone") AS phone,
  profile_of("Profile") AS linked_in,
  clean("City") AS city,
  clean("Summary") AS summary,
  -- One line of the cell for each course: school / degree / subject / from / until.
  list_transform(
    list_filter(string_split("Education", chr(10)), lambda line: clean(line) IS NOT NULL),
    lambda line: {
      'institution': clean(split_part(line, '/', 1)),
      'degree': clean(split_part(line, '/', 2)),
      'field_of_study': clean(split_part(line, '/', 3)),
      'start_date': checked(split_part(line, '/', 4), '[0-9]{4}(-[0-9]{2}){0,2}', '2012 or 2012-08', place),
      'end_date': checked(split_part(line, '/', 5), '[0-9]{4}(-[0-9]{2}){0,2}', '2012 or 2012-08', place),
      'current': clean(split_part(line, '/', 5)) IS NULL
    }
  ) AS education,
  lower(clean("Stage")) AS stage_id,
  clean("Stage") AS stage_title,
  CAST(replace(checked("Score", '-?[0-9]+(,[0-9]+)?', '8,5', place), ',', '.') AS DOUBLE) AS score,
  -- The sheet has local times, and records have UTC.
  strftime(time_of("Applied on", place) AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.000Z') AS created_at,
  epoch_ms(time_of("Changed on", place)) AS revision,
  clean("Status") = 'active' AS active,
  clean("Phone") AS given_phone,
  clean("Profile") AS given_profile,
  number
FROM (SELECT *, concat('job ', "Job ID", ', candidate ', "Candidate ID") AS place FROM sheet);

-- Of several applications of a person to a job, the service stores one: the active and newest. Rows without an id are
-- no duplicates: the import refuses them by name.
CREATE OR REPLACE TEMP TABLE ranked AS
SELECT *, row_number() OVER (
  PARTITION BY job_id, user_id, CASE WHEN job_id IS NULL OR user_id IS NULL THEN number END
  ORDER BY active DESC, created_at DESC
) AS rank
FROM applications;

-- What is not stored, for you to check: second applications, and values that have no valid form.
SELECT job_id, user_id, created_at AS left_out FROM ranked WHERE rank > 1 ORDER BY ALL;
SELECT job_id, user_id, 'phone' AS member, given_phone AS stored_as_null
FROM ranked
WHERE rank = 1 AND phone IS NULL AND given_phone IS NOT NULL
UNION ALL
SELECT job_id, user_id, 'linked_in', given_profile
FROM ranked
WHERE rank = 1 AND linked_in IS NULL AND given_profile IS NOT NULL
ORDER BY ALL;

-- Counts the lines of the file independently of read_csv: quoted cells as `_`, no lines without a value, no header. If
-- your delimiter is not `;`, change it here too.
SELECT error(concat('applications.csv has ', rows, ' rows, but ', read, ' were read'))
FROM (
  SELECT
    len(list_filter(
      string_split_regex(regexp_replace(content, '(^|[;\r\n])"([^"]|"")+"', '\1_', 'g'), '[\r\n]+'),
      lambda line: NOT regexp_full_match(line, '[;"]*')
    )) - 1 AS rows,
    (SELECT count(*) FROM ranked) AS read
  FROM read_text('applications.csv')
)
WHERE rows <> read;

COPY (SELECT * EXCLUDE (active, given_phone, given_profile, number, rank) FROM ranked WHERE rank = 1 ORDER BY job_id, user_id)
TO 'applications.ndjson' (FORMAT json);
-- The sheet has no statuses of jobs, so new jobs start as drafts; docs/data.md leaves existing jobs as they are.
COPY (SELECT DISTINCT 'job' AS type, job_id AS id, 'draft' AS status FROM ranked WHERE job_id IS NOT NULL ORDER BY id)
TO 'jobs.ndjson' (FORMAT json);
