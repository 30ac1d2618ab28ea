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

-- Text without white space at its ends (160 is the no-break space); NULL if nothing is left.
CREATE OR REPLACE TEMP MACRO clean(member) AS nullif(trim(member, ' ' || chr(9) || chr(10) || chr(13) || chr(160)), '');
CREATE OR REPLACE TEMP MACRO first_of(texts) AS
  list_filter(list_transform(texts, lambda one: clean(one)), lambda one: one IS NOT NULL)[1];
-- 2012-08 from 2012-08-15T00:00:00.000Z, or else from a year and a month.
CREATE OR REPLACE TEMP MACRO month_of(instant, year, month) AS
  coalesce(clean(instant)[:7], year || coalesce('-' || lpad(month, 2, '0'), ''));

-- As text, ids and dates stay as they are. DuckDB's own types would change them.
CREATE OR REPLACE TEMP TABLE jobs AS
FROM read_json('jobs*.json', columns = {id: 'VARCHAR', status: 'VARCHAR', is_template: 'BOOLEAN'});
CREATE OR REPLACE TEMP TABLE applied AS
FROM read_json('applications*.json', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', job_id: 'VARCHAR', prospect: 'BOOLEAN', status: 'VARCHAR',
  stage_id: 'VARCHAR', stage_name: 'VARCHAR', created_at: 'VARCHAR',
  answers: 'STRUCT(question VARCHAR, answer VARCHAR)[]'
})
WHERE NOT coalesce(prospect, false);
CREATE OR REPLACE TEMP TABLE candidates AS
FROM read_json('candidates*.json', columns = {
  id: 'VARCHAR', first_name: 'VARCHAR', last_name: 'VARCHAR', title: 'VARCHAR',
  email_addresses: 'STRUCT(value VARCHAR)[]', phone_numbers: 'STRUCT(value VARCHAR)[]',
  social_media_addresses: 'STRUCT(value VARCHAR)[]', website_addresses: 'STRUCT(value VARCHAR)[]'
});
CREATE OR REPLACE TEMP TABLE educations AS
FROM read_json('candidate_educations*.json', columns = {
  id: 'VARCHAR', candidate_id: 'VARCHAR', school_name_custom_field_option_id: 'VARCHAR',
  degree_custom_field_option_id: 'VARCHAR', discipline_custom_field_option_id: 'VARCHAR',
  start_at: 'VARCHAR', start_date_year: 'VARCHAR', start_date_month: 'VARCHAR',
  end_at: 'VARCHAR', end_date_year: 'VARCHAR', end_date_month: 'VARCHAR'
});
CREATE OR REPLACE TEMP TABLE options AS
FROM read_json('custom_field_options*.json', columns = {id: 'VARCHAR', name: 'VARCHAR'});

-- A reference to a resource that was not saved would lose data in silence.
SELECT error('candidates*.json lacks candidate ' || candidate_id)
FROM applied ANTI JOIN candidates ON candidates.id = candidate_id;
SELECT error('custom_field_options*.json lacks option ' || id)
FROM (
  SELECT unnest([school_name_custom_field_option_id, degree_custom_field_option_id, discipline_custom_field_option_id]) AS id
  FROM educations
) ANTI JOIN options USING (id)
WHERE id IS NOT NULL;

CREATE OR REPLACE TEMP TABLE courses AS
SELECT
  candidate_id,
  list({
    'institution': clean(schools.name),
    'degree': clean(degrees.name),
    'field_of_study': clean(disciplines.name),
    'start_date': month_of(start_at, start_date_year, start_date_month),
    'end_date': month_of(end_at, end_date_year, end_date_month)
  } ORDER BY start_at, start_date_year) AS education
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
  } ORDER BY start_date) AS experience
FROM read_json('candidate_employments*.json', columns = {
  candidate_id: 'VARCHAR', title: 'VARCHAR', company_name: 'VARCHAR', start_date: 'VARCHAR', end_date: 'VARCHAR'
})
GROUP BY candidate_id;

CREATE OR REPLACE TEMP TABLE resumes AS
SELECT application_id, arg_max(url, created_at) AS url
FROM read_json('attachments*.json', columns = {
  application_id: 'VARCHAR', type: 'VARCHAR', url: 'VARCHAR', created_at: 'VARCHAR'
})
WHERE type = 'resume'
GROUP BY application_id;

CREATE OR REPLACE TEMP TABLE applications AS
SELECT
  'application' AS type,
  'gh:' || job_id AS job_id,
  'gh:' || candidate_id AS user_id,
  concat_ws(' ', clean(first_name), clean(last_name)) AS name,
  coalesce(
    first_of(list_transform(email_addresses, lambda one: one.value)),
    'gh-' || candidate_id || '@no-address.invalid'
  ) AS email,
  first_of(list_transform(phone_numbers, lambda one: one.value)) AS phone,
  regexp_replace(
    coalesce(
      first_of(list_transform(
        list_filter(answers, lambda one: one.question ILIKE '%linkedin%'), lambda one: one.answer
      )),
      first_of(list_filter(
        list_transform(list_concat(social_media_addresses, website_addresses), lambda one: one.value),
        lambda one: one ILIKE '%linkedin.%'
      ))
    ),
    '^https?://', ''
  ) AS linked_in,
  clean(title) AS position,
  education,
  experience,
  coalesce(stage_id, status) AS stage_id,
  coalesce(clean(stage_name), status) AS stage_title,
  applied.created_at,
  clean(url) AS resume_url,
  status = 'in_process' AS active
FROM applied
JOIN candidates ON candidates.id = candidate_id
LEFT JOIN courses USING (candidate_id)
LEFT JOIN positions USING (candidate_id)
LEFT JOIN resumes ON resumes.application_id = applied.id;

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

-- The import refuses a job with any other status.
COPY (
  SELECT 'job' AS type, 'gh:' || id AS id, CASE status WHEN 'open' THEN 'published' ELSE status END AS status
  FROM jobs
  WHERE NOT coalesce(is_template, false)
) TO 'jobs.ndjson' (FORMAT json);
