# Ashby: all pages of job.list (https://developers.ashbyhq.com/reference/joblist) and of application.list
# (https://developers.ashbyhq.com/reference/applicationlist).
def text: if type != "string" then . else
  if test("^\\s|\\s$") then gsub("^\\s+|\\s+$"; "") else . end | if . == "" then null else . end end;
.results[] | if has("candidate") then {
  type: "application", job_id: .job.id, user_id: .candidate.id, name: (.candidate.name | text),
  email: ((.candidate.primaryEmailAddress.value | text) // "\(.candidate.id)@no-address.invalid"),
  phone: (.candidate.primaryPhoneNumber.value | text),
  stage_id: ((.currentInterviewStage.id | text) // .status),
  stage_title: ((.currentInterviewStage.title | text) // .status), created_at: .createdAt
} else {
  type: "job", id: .id,
  status: {Draft: "draft", Open: "published", Closed: "closed", Archived: "archived"}[.status // ""]
} end
