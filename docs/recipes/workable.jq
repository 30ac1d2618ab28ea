# Workable: all pages of GET /jobs (https://workable.readme.io/reference/jobs) and, for each candidate, GET /candidates/:id
# (https://workable.readme.io/docs/job-candidates-show). A job has its shortcode as id.
def text: if . == "" then null else . end;
if has("jobs") then .jobs[] | {type: "job", id: .shortcode, status: .state}
else .candidate | {
  type: "application", job_id: .job.shortcode, user_id: .id, name,
  email: ((.email | text) // "\(.id)@no-address.invalid"), phone: (.phone | text),
  linked_in: ([.social_profiles[]? | select(.type == "linkedin") | .url | sub("^https?://"; "")][0]),
  city: .location.city, region: .location.region, country: .location.country, summary, position: .headline,
  education: [.education_entries[]? | {institution: .school, degree, field_of_study, start_date, end_date}],
  experience: [.experience_entries[]? | {title, company, description: .summary, start_date, end_date, current}],
  stage_id: .stage, stage_title: .stage, created_at, resume_url
} end
