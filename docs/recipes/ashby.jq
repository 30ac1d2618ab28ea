# Ashby: all pages of job.list (https://developers.ashbyhq.com/reference/joblist) and of application.list
# (https://developers.ashbyhq.com/reference/applicationlist).
.results[] | if has("candidate") then {
  type: "application", job_id: .job.id, user_id: .candidate.id, name: .candidate.name,
  email: (.candidate.primaryEmailAddress.value // "\(.candidate.id)@no-address.invalid"),
  phone: .candidate.primaryPhoneNumber.value,
  stage_id: (.currentInterviewStage.id // .status), stage_title: (.currentInterviewStage.title // .status),
  created_at: .createdAt
} else {
  type: "job", id,
  status: {Draft: "draft", Open: "published", Closed: "closed", Archived: "archived"}[.status]
} end
