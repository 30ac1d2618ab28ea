-- Turns responses of Greenhouse's Harvest API v3 into records.ndjson, which docs/data.md shows how to import. Save the
-- pages of jobs, applications, candidates, attachments, candidate_educations, candidate_employments and
-- custom_field_options (the names of schools and degrees) as jobs-1.json, jobs-2.json and so on. Copy this file into their
-- folder, and run it there with DuckDB 1.5 or later (https://duckdb.org):
--
--     duckdb -f greenhouse.sql
--
-- Where v3 keeps what v1 nested: https://harvestdocs.greenhouse.io/docs/step-by-step-migration-instructions. Tried with
-- made-up responses only, not with an account. Links to attachments expire after seven days.
--
-- DuckDB stops at a page, an element, a reference or a status that this file does not expect, and records.ndjson stays
-- empty. All other values are written as they are: the import checks them.

COPY (SELECT 1 WHERE false) TO 'records.ndjson' (FORMAT json);

-- For national telephone numbers: the country code, their form (group 1 is what follows the prefix), and what is dialed
-- before a foreign number. Germany: '+49', '0([1-9][0-9]{5,10})', '00'. United States: '+1', '1?([2-9][0-9]{9})', '011'.
SET VARIABLE country = NULL::VARCHAR;
SET VARIABLE national = NULL::VARCHAR;
SET VARIABLE abroad = NULL::VARCHAR;

-- Text without white space at its ends (160 is the no-break space); NULL if nothing is left.
CREATE OR REPLACE TEMP MACRO clean(cell) AS nullif(trim(cell, ' ' || chr(9) || chr(10) || chr(13) || chr(160)), '');
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
-- The first value that looks right, or else the first.
CREATE OR REPLACE TEMP MACRO first_with(part, texts) AS coalesce(
  list_filter(texts, lambda one: contains(one, part))[1], list_filter(texts, lambda one: one IS NOT NULL)[1]
);
-- 2012-08 from 2012-08-15T00:00:00.000Z, or else from a year and a month.
CREATE OR REPLACE TEMP MACRO month_of(instant, year, month) AS
  coalesce(instant[:7], nullif(concat_ws('-', year, format('{:02d}', month)), ''));

-- DuckDB stops at a file that is not a list in [ ], such as {"message": "Rate limit exceeded"}, unless it is empty.
SET VARIABLE checks = (
  SELECT error(concat(filename, ' is empty: fetch it again')) FROM read_text('*.json') WHERE clean(content) IS NULL
);

-- Read as text, because DuckDB's own types would change ids and dates.
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
  id: 'VARCHAR', first_name: 'VARCHAR', last_name: 'VARCHAR', title: 'VARCHAR',
  email_addresses: 'STRUCT(value VARCHAR)[]', phone_numbers: 'STRUCT(value VARCHAR)[]',
  social_media_addresses: 'STRUCT(value VARCHAR)[]', website_addresses: 'STRUCT(value VARCHAR)[]'
});
CREATE OR REPLACE TEMP TABLE attachments AS
FROM read_json('attachments*.json', format = 'array', columns = {
  id: 'VARCHAR', application_id: 'VARCHAR', type: 'VARCHAR', url: 'VARCHAR', created_at: 'VARCHAR'
});
CREATE OR REPLACE TEMP TABLE educations AS
FROM read_json('candidate_educations*.json', format = 'array', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', school_name_custom_field_option_id: 'VARCHAR',
  degree_custom_field_option_id: 'VARCHAR', discipline_custom_field_option_id: 'VARCHAR',
  start_at: 'VARCHAR', start_date_year: 'VARCHAR', start_date_month: 'INTEGER',
  end_at: 'VARCHAR', end_date_year: 'VARCHAR', end_date_month: 'INTEGER'
});
CREATE OR REPLACE TEMP TABLE employments AS
FROM read_json('candidate_employments*.json', format = 'array', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', title: 'VARCHAR', company_name: 'VARCHAR', start_date: 'VARCHAR',
  end_date: 'VARCHAR'
});
CREATE OR REPLACE TEMP TABLE options AS
FROM read_json('custom_field_options*.json', format = 'array', columns = {id: 'VARCHAR', name: 'VARCHAR'});

-- The pages are whole: each element has its ids once, and what it refers to was saved too.
SET VARIABLE checks = (
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
  HAVING count(id) <> 1 OR count(reference) <> 1
);
SET VARIABLE checks = (
  SELECT error(concat(resource, '*.json lacks ', id))
  FROM (
    SELECT 'candidates' AS resource, candidate_id AS id FROM applied
    UNION ALL SELECT 'jobs', job_id FROM applied
    UNION ALL SELECT 'custom_field_options', unnest([
      school_name_custom_field_option_id, degree_custom_field_option_id, discipline_custom_field_option_id
    ]) FROM educations
  ) ANTI JOIN (
    SELECT 'candidates' AS resource, id FROM candidates
    UNION ALL SELECT 'jobs', id FROM jobs
    UNION ALL SELECT 'custom_field_options', id FROM options
  ) USING (resource, id)
  WHERE id IS NOT NULL
);

CREATE OR REPLACE TEMP TABLE courses AS
SELECT
  candidate_id,
  list({
    'institution': clean(schools.name),
    'degree': clean(degrees.name),
    'field_of_study': clean(disciplines.name),
    'start_date': month_of(start_at, start_date_year, start_date_month),
    'end_date': month_of(end_at, end_date_year, end_date_month)
  } ORDER BY start_at, start_date_year, educations.id) AS education
FROM educations
LEFT JOIN options AS schools ON schools.id = school_name_custom_field_option_id
LEFT JOIN options AS degrees ON degrees.id = degree_custom_field_option_id
LEFT JOIN options AS disciplines ON disciplines.id = discipline_custom_field_option_id
GROUP BY candidate_id;

CREATE OR REPLACE TEMP TABLE positions AS
SELECT
  candidate_id,
  list({
    'title': clean(title),
    'company': clean(company_name),
    'start_date': clean(start_date)[:10],
    'end_date': clean(end_date)[:10],
    'current': clean(end_date) IS NULL
  } ORDER BY start_date, id) AS experience
FROM employments
GROUP BY candidate_id;

CREATE OR REPLACE TEMP TABLE resumes AS
SELECT application_id, arg_max(url, (created_at, id)) AS url
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
    first_with('@', list_transform(email_addresses, lambda one: clean(one.value))),
    'gh-' || candidate_id || '@no-address.invalid'
  ) AS email,
  first_with('+', list_transform(phone_numbers, lambda one: phone_of(one.value))) AS phone,
  -- Without a query or a fragment.
  regexp_replace(first_with('/', list_concat(
    list_transform(list_filter(answers, lambda one: one.question ILIKE '%linkedin%'), lambda one: clean(one.answer)),
    list_filter(
      list_transform(list_concat(social_media_addresses, website_addresses), lambda one: clean(one.value)),
      lambda one: one ILIKE '%linkedin.%'
    )
  )), '([^?#])[?#].*', '\1') AS linked_in,
  clean(title) AS position,
  education,
  experience,
  coalesce(stage_id, status) AS stage_id,
  coalesce(clean(stage_name), status) AS stage_title,
  applied.created_at,
  clean(url) AS resume_url,
  coalesce(prospect, false) AS prospect,
  CASE status
    WHEN 'in_process' THEN true
    WHEN 'hired' THEN false
    WHEN 'rejected' THEN false
    WHEN 'converted' THEN false
    ELSE error(concat('"', status, '" is not a status (application ', applied.id, ')'))
  END AS active,
  updated_at,
  applied.id AS application_id
FROM applied
JOIN candidates ON candidates.id = candidate_id
LEFT JOIN courses USING (candidate_id)
LEFT JOIN positions USING (candidate_id)
LEFT JOIN resumes ON resumes.application_id = applied.id;

-- The service stores one application per person and job: active before inactive, then the newest. Prospects have no job.
CREATE OR REPLACE TEMP TABLE ranked AS
SELECT *, row_number() OVER (
  PARTITION BY prospect, job_id, user_id ORDER BY active DESC, updated_at DESC, created_at DESC, application_id DESC
) + if(prospect, 1, 0) AS rank
FROM applications;
COPY (SELECT application_id, job_id, user_id, prospect FROM ranked WHERE rank > 1 ORDER BY ALL) TO 'left_out.csv';

-- `FORMAT json` would write every member into every record.
COPY (
  SELECT to_json(job)
  FROM (
    SELECT
      'job' AS type,
      'gh:' || id AS id,
      CASE status
        WHEN 'open' THEN 'published'
        WHEN 'closed' THEN 'closed'
        WHEN 'draft' THEN 'draft'
        ELSE error(concat('"', status, '" is not a status (job ', id, ')'))
      END AS status
    FROM jobs
    WHERE NOT coalesce(is_template, false)
    ORDER BY id
  ) AS job
  UNION ALL
  SELECT to_json(one)
  FROM (
    SELECT * EXCLUDE (prospect, active, updated_at, application_id, rank)
    FROM ranked
    WHERE rank = 1
    ORDER BY job_id, user_id
  ) AS one
) TO 'records.ndjson' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\x01');
