# Greenhouse, Harvest API v3: https://harvestdocs.greenhouse.io/docs/step-by-step-migration-instructions, with the members
# that https://docs.airbyte.com/integrations/sources/greenhouse reads. With -s, all pages of jobs, applications, candidates,
# attachments, candidate_educations, candidate_employments and custom_field_options (the names of schools and degrees), in
# any order: each resource has a member that no other has. Links to attachments expire after seven days.
def text: if type != "string" then . else
  if test("^\\s|\\s$") then gsub("^\\s+|\\s+$"; "") else . end | if . == "" then null else . end end;
def first_of(f): [f | text | values][0];
def month(instant; year; month):
  if instant | text then instant[:7] elif year and month then "\(year)-\("0\(month)"[-2:])" elif year then "\(year)" else null end;
def own_member: [keys[] | select(IN("is_template", "prospect", "email_addresses", "filename",
  "school_name_custom_field_option_id", "company_name", "custom_field_id"))]
  | if length == 1 then .[0] else error("a resource is none of the seven, or lacks its own member") end;
def found(key; $what): if has(key) then .[key] else error("\($what) \(key) is missing in the input") end;
add | group_by(own_member) | map({key: (.[0] | own_member), value: .}) | from_entries
| def all($member; key): .[$member] // [] | group_by(key)
    | map({key: (.[0] | key // error("a resource with \($member) does not say what it belongs to") | tostring), value: .}) | from_entries;
all("email_addresses"; .id) as $candidates | all("filename"; .application_id // "none") as $attachments
| all("school_name_custom_field_option_id"; .candidate_id) as $educations
| all("company_name"; .candidate_id) as $employments | all("custom_field_id"; .id) as $options
| def name_of($option): if $option == null then null
    else $options | found("\($option)"; "custom field option")[0].name
      | text // error("custom field option \($option) has no name") end;
(.is_template[]? | select(.is_template | not) | {
  type: "job", id: "gh:\(.id // error("a job has no id"))",
  status: {open: "published", closed: "closed", draft: "draft"}[.status // ""]
}), (.prospect[]? | select(.prospect | not) | "\(.candidate_id)" as $id
| ($candidates | found($id; "candidate")[0]) as $person | {
  type: "application", job_id: "gh:\(.job_id // error("an application has no job_id"))", user_id: "gh:\($id)",
  name: ([$person | .first_name, .last_name | text | values] | join(" ")),
  email: (first_of($person.email_addresses[]?.value) // "gh-\($id)@no-address.invalid"),
  phone: first_of($person.phone_numbers[]?.value),
  linked_in: (first_of((.answers[]? | select(.question // "" | test("linkedin"; "i")) | .answer),
    ($person | .social_media_addresses[]?, .website_addresses[]? | .value | select(. // "" | test("linkedin\\."))))
    | if . == null then null else sub("^https?://"; "") end),
  position: ($person.title | text),
  education: [$educations[$id][]? | {
    institution: name_of(.school_name_custom_field_option_id), degree: name_of(.degree_custom_field_option_id),
    field_of_study: name_of(.discipline_custom_field_option_id),
    start_date: month(.start_at; .start_date_year; .start_date_month), end_date: month(.end_at; .end_date_year; .end_date_month)
  }],
  experience: [$employments[$id][]? | {
    title: (.title | text), company: (.company_name | text), start_date: (.start_date | text), end_date: (.end_date | text),
    current: (.end_date | text == null)
  }],
  stage_id: "\((.stage_id | text) // .status)", stage_title: ((.stage_name | text) // .status), created_at,
  resume_url: ([$attachments["\(.id // error("an application has no id"))"][]? | select(.type | text == "resume")] | sort_by(.created_at) | last | .url | text)
})
