# Greenhouse, Harvest API v3: https://harvestdocs.greenhouse.io/docs/step-by-step-migration-instructions, with the members
# that https://docs.airbyte.com/integrations/sources/greenhouse reads. With -s, all pages of jobs, applications, candidates,
# attachments, candidate_educations, candidate_employments and custom_field_options (the names of schools and degrees), in
# any order: each resource has a member that no other has. Links to attachments expire after seven days.
def having(member): map(select(has(member)));
def by(key): group_by(key) | map({key: "\(.[0] | key)", value: .}) | from_entries;
def month(instant; year; month):
  if instant then instant[:7] elif year and month then "\(year)-\("0\(month)"[-2:])" elif year then "\(year)" else null end;
add
| (having("email_addresses") | by(.id)) as $candidates | (having("filename") | by(.application_id)) as $attachments
| (having("school_name_custom_field_option_id") | by(.candidate_id)) as $educations
| (having("company_name") | by(.candidate_id)) as $employments | (having("custom_field_id") | by(.id)) as $options
| def name_of(option): $options["\(option)"][0].name;
(having("is_template")[] | select(.is_template | not) | {
  type: "job", id: "gh:\(.id)", status: {open: "published", closed: "closed", draft: "draft"}[.status]
}), (having("prospect")[] | select(.prospect | not) | "\(.candidate_id)" as $id
| ($candidates[$id][0] // error("application \(.id): candidate \($id) is missing in the input")) as $person | {
  type: "application", job_id: "gh:\(.job_id)", user_id: "gh:\($id)",
  name: ([$person | .first_name, .last_name | select(. != null and . != "")] | join(" ")),
  email: ($person.email_addresses[0].value // "gh-\($id)@no-address.invalid"), phone: $person.phone_numbers[0].value,
  linked_in: ([(.answers[]? | select(.question | test("linkedin"; "i")) | .answer // empty),
    ($person | .social_media_addresses[]?, .website_addresses[]? | .value | select(test("linkedin\\.")))][0]
    | if . == null then null else sub("^https?://"; "") end),
  position: $person.title,
  education: [$educations[$id][]? | {
    institution: name_of(.school_name_custom_field_option_id), degree: name_of(.degree_custom_field_option_id),
    field_of_study: name_of(.discipline_custom_field_option_id),
    start_date: month(.start_at; .start_date_year; .start_date_month), end_date: month(.end_at; .end_date_year; .end_date_month)
  }],
  experience: [$employments[$id][]? | {
    title, company: .company_name, start_date, end_date, current: (.end_date == null)
  }],
  stage_id: "\(.stage_id // .status)", stage_title: (.stage_name // .status), created_at,
  resume_url: ([$attachments["\(.id)"][]? | select(.type == "resume")] | sort_by(.created_at) | last | .url)
})
