-- Turns responses of Greenhouse's Harvest API v3 into the records jobs.ndjson and applications.ndjson, which docs/data.md
-- shows how to import. Save the pages of jobs, applications, candidates, attachments, candidate_educations,
-- candidate_employments and custom_field_options (the names of schools and degrees) as jobs-1.json, jobs-2.json and so on.
-- Copy this file into their folder, and run it there with DuckDB 1.5 or later (https://duckdb.org):
--
--     duckdb -f greenhouse.sql
--
-- Encodings: responses are UTF-8, the only encoding that read_json knows. To convert a file from Windows-1252:
-- iconv -f WINDOWS-1252 -t UTF-8 saved.json > jobs-1.json.
--
-- Where v3 keeps what v1 nested: https://harvestdocs.greenhouse.io/docs/step-by-step-migration-instructions. Tried with
-- made-up responses only, not with an account. Links to attachments expire after seven days.
--
-- At a page that is not a list, an element without an id of its own, or a value of another form than the checks below
-- expect, DuckDB stops, and the two files stay empty.

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

CREATE OR REPLACE TEMP MACRO first_of(texts) AS list_filter(texts, lambda one: one IS NOT NULL)[1];
-- 2012-08 from 2012-08-15T00:00:00.000Z, or else from a year and a month. A month alone stops as well.
CREATE OR REPLACE TEMP MACRO month_of(instant, year, month, place) AS coalesce(
  checked(instant, '[0-9]{4}-[0-9]{2}.*', '2012-08-15', place)[:7],
  checked(coalesce(clean(year), 'month ' || clean(month)), '[0-9]{4}', '2012', place)
    || coalesce('-' || lpad(checked(month, '0?[1-9]|1[0-2]', '8', place), 2, '0'), '')
);
CREATE OR REPLACE TEMP MACRO day_of(instant, place) AS
  checked(instant, '[0-9]{4}-[0-9]{2}-[0-9]{2}.*', '2012-08-15', place)[:10];

-- An error body, such as {"message": "Rate limit exceeded"}, or an empty file is not an empty page.
SELECT error(concat(filename, ' is not a page, which is a list in [ ]: fetch it again'))
FROM read_text([
  'jobs*.json', 'applications*.json', 'candidates*.json', 'attachments*.json', 'candidate_educations*.json',
  'candidate_employments*.json', 'custom_field_options*.json'
])
WHERE NOT regexp_matches(content, '^\s*\[');

-- As text, ids and dates stay as they are. DuckDB's own types would change them.
CREATE OR REPLACE TEMP TABLE jobs AS
FROM read_json('jobs*.json', format = 'array', columns = {id: 'VARCHAR', status: 'VARCHAR', is_template: 'BOOLEAN'});
CREATE OR REPLACE TEMP TABLE applied AS
FROM read_json('applications*.json', format = 'array', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', job_id: 'VARCHAR', prospect: 'BOOLEAN', status: 'VARCHAR',
  stage_id: 'VARCHAR', stage_name: 'VARCHAR', created_at: 'VARCHAR', updated_at: 'TIMESTAMPTZ',
  answers: 'STRUCT(question VARCHAR, answer VARCHAR)[]'
});
CREATE OR REPLACE TEMP TABLE candidates AS
FROM read_json('candidates*.json', format = 'array', columns = {
  id: 'VARCHAR', first_name: 'VARCHAR', last_name: 'VARCHAR', title: 'VARCHAR', updated_at: 'TIMESTAMPTZ',
  email_addresses: 'STRUCT(value VARCHAR)[]', phone_numbers: 'STRUCT(value VARCHAR)[]',
  social_media_addresses: 'STRUCT(value VARCHAR)[]', website_addresses: 'STRUCT(value VARCHAR)[]'
});
CREATE OR REPLACE TEMP TABLE attachments AS
FROM read_json('attachments*.json', format = 'array', columns = {
  id: 'VARCHAR', application_id: 'VARCHAR', type: 'VARCHAR', url: 'VARCHAR', created_at: 'VARCHAR',
  updated_at: 'TIMESTAMPTZ'
});
CREATE OR REPLACE TEMP TABLE educations AS
FROM read_json('candidate_educations*.json', format = 'array', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', school_name_custom_field_option_id: 'VARCHAR',
  degree_custom_field_option_id: 'VARCHAR', discipline_custom_field_option_id: 'VARCHAR',
  start_at: 'VARCHAR', start_date_year: 'VARCHAR', start_date_month: 'VARCHAR',
  end_at: 'VARCHAR', end_date_year: 'VARCHAR', end_date_month: 'VARCHAR', updated_at: 'TIMESTAMPTZ'
});
CREATE OR REPLACE TEMP TABLE employments AS
FROM read_json('candidate_employments*.json', format = 'array', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', title: 'VARCHAR', company_name: 'VARCHAR', start_date: 'VARCHAR',
  end_date: 'VARCHAR', updated_at: 'TIMESTAMPTZ'
});
CREATE OR REPLACE TEMP TABLE options AS
FROM read_json('custom_field_options*.json', format = 'array', columns = {
  id: 'VARCHAR', name: 'VARCHAR', updated_at: 'TIMESTAMPTZ'
});

SELECT error(concat(
  resource, '*.json has ',
  if(
    count(id) > 1, concat('the id ', id, ' twice: is a page saved twice?'),
    'an element without its ids, such as an error body: fetch the page again'
  )
))
FROM (
  SELECT 'jobs' AS resource, id, id AS reference FROM jobs
  UNION ALL SELECT 'applications', id, candidate_id || if(prospect, '', job_id) FROM applied
  UNION ALL SELECT 'candidates', id, id FROM candidates
  UNION ALL SELECT 'attachments', id, application_id FROM attachments
  UNION ALL SELECT 'candidate_educations', id, candidate_id FROM educations
  UNION ALL SELECT 'candidate_employments', id, candidate_id FROM employments
  UNION ALL SELECT 'custom_field_options', id, id FROM options
)
GROUP BY resource, id
HAVING count(id) <> 1 OR count(reference) <> 1;

-- A reference to a resource that was not saved would lose data in silence.
SELECT error(concat('candidates*.json lacks candidate ', candidate_id))
FROM applied ANTI JOIN candidates ON candidates.id = candidate_id;
SELECT error(concat('jobs*.json lacks job ', job_id))
FROM applied ANTI JOIN jobs ON jobs.id = job_id
WHERE job_id IS NOT NULL;
SELECT error(concat('custom_field_options*.json lacks option ', id))
FROM (
  SELECT unnest([school_name_custom_field_option_id, degree_custom_field_option_id, discipline_custom_field_option_id]) AS id
  FROM educations
) ANTI JOIN options USING (id)
WHERE id IS NOT NULL;

CREATE OR REPLACE TEMP TABLE courses AS
SELECT
  candidate_id,
  max(greatest(educations.updated_at, schools.updated_at, degrees.updated_at, disciplines.updated_at)) AS changed_at,
  list({
    'institution': clean(schools.name),
    'degree': clean(degrees.name),
    'field_of_study': clean(disciplines.name),
    'start_date': month_of(start_at, start_date_year, start_date_month, concat('candidate ', candidate_id)),
    'end_date': month_of(end_at, end_date_year, end_date_month, concat('candidate ', candidate_id))
  } ORDER BY start_at, start_date_year) AS education
FROM educations
LEFT JOIN options AS schools ON schools.id = school_name_custom_field_option_id
LEFT JOIN options AS degrees ON degrees.id = degree_custom_field_option_id
LEFT JOIN options AS disciplines ON disciplines.id = discipline_custom_field_option_id
GROUP BY candidate_id;

CREATE OR REPLACE TEMP TABLE positions AS
SELECT
  candidate_id,
  max(updated_at) AS changed_at,
  list({
    'title': clean(title),
    'company': clean(company_name),
    'start_date': day_of(start_date, concat('candidate ', candidate_id)),
    'end_date': day_of(end_date, concat('candidate ', candidate_id)),
    'current': clean(end_date) IS NULL
  } ORDER BY start_date) AS experience
FROM employments
GROUP BY candidate_id;

CREATE OR REPLACE TEMP TABLE resumes AS
SELECT application_id, max(updated_at) AS changed_at, arg_max(url, created_at) AS url
FROM attachments
WHERE type = 'resume'
GROUP BY application_id;

CREATE OR REPLACE TEMP TABLE applications AS
SELECT
  'application' AS type,
  'gh:' || job_id AS job_id,
  'gh:' || candidate_id AS user_id,
  concat_ws(' ', clean(first_name), clean(last_name)) AS name,
  coalesce(
    first_of(list_transform(email_addresses, lambda one: clean(one.value))),
    'gh-' || candidate_id || '@no-address.invalid'
  ) AS email,
  list_transform(phone_numbers, lambda one: clean(one.value)) AS phones,
  first_of(list_transform(phones, lambda one: phone_of(one))) AS phone,
  list_concat(
    list_transform(list_filter(answers, lambda one: one.question ILIKE '%linkedin%'), lambda one: clean(one.answer)),
    list_filter(
      list_transform(list_concat(social_media_addresses, website_addresses), lambda one: clean(one.value)),
      lambda one: one ILIKE '%linkedin.%'
    )
  ) AS profiles,
  first_of(list_transform(profiles, lambda one: profile_of(one))) AS linked_in,
  clean(title) AS position,
  education,
  experience,
  coalesce(stage_id, status) AS stage_id,
  coalesce(clean(stage_name), status) AS stage_title,
  applied.created_at,
  clean(url) AS resume_url,
  epoch_ms(greatest(
    applied.updated_at, candidates.updated_at, courses.changed_at, positions.changed_at, resumes.changed_at
  )) AS revision,
  coalesce(prospect, false) AS prospect,
  status = 'in_process' AS active
FROM applied
JOIN candidates ON candidates.id = candidate_id
LEFT JOIN courses USING (candidate_id)
LEFT JOIN positions USING (candidate_id)
LEFT JOIN resumes ON resumes.application_id = applied.id;

-- Of several applications of a person to a job, the service stores one: the active and newest. Prospects are for no job.
CREATE OR REPLACE TEMP TABLE ranked AS
SELECT *, row_number() OVER (
  PARTITION BY prospect, job_id, user_id ORDER BY active DESC, created_at DESC
) + if(prospect, 1, 0) AS rank
FROM applications;

-- What is not stored, for you to check: prospects, second applications, and values that have no valid form.
SELECT job_id, user_id, created_at AS left_out FROM ranked WHERE rank > 1 ORDER BY ALL;
SELECT job_id, user_id, 'phone' AS member, array_to_string(phones, ', ') AS stored_as_null
FROM ranked
WHERE rank = 1 AND phone IS NULL AND stored_as_null <> ''
UNION ALL
SELECT job_id, user_id, 'linked_in', array_to_string(profiles, ', ') AS stored_as_null
FROM ranked
WHERE rank = 1 AND linked_in IS NULL AND stored_as_null <> ''
ORDER BY ALL;

SELECT error(concat((SELECT count(*) FROM applied), ' applications read, but ', count(*), ' written or named'))
FROM ranked
HAVING count(*) <> (SELECT count(*) FROM applied);

COPY (
  SELECT * EXCLUDE (prospect, active, phones, profiles, rank)
  FROM ranked
  WHERE rank = 1
  ORDER BY job_id, user_id
) TO 'applications.ndjson' (FORMAT json);
-- The import refuses a job with any other status.
COPY (
  SELECT 'job' AS type, 'gh:' || id AS id, CASE status WHEN 'open' THEN 'published' ELSE status END AS status
  FROM jobs
  WHERE NOT coalesce(is_template, false)
) TO 'jobs.ndjson' (FORMAT json);
