# Gupy, API v1: all pages of GET /jobs (https://developers.gupy.io/docs/fluxo-de-atualizacao-de-vagas) and of
# GET /jobs/{jobId}/applications?fields=all (https://developers.gupy.io/docs/listing-applications). A candidate whom a
# recruiter added is in manualCandidate until the invitation is accepted.
.results[] | if has("currentStep") then (.candidate // .manualCandidate) as $person | {
  type: "application", job_id: "\(.job.id)", user_id: "\($person.id)", name: "\($person.name) \($person.lastName)",
  email: ($person.email // "\($person.id)@no-address.invalid"), phone: ($person.mobileNumber // $person.phoneNumber),
  linked_in: ($person.linkedinProfileUrl | if . then sub("^https?://"; "") else null end),
  stage_id: "\(.currentStep.id)", stage_title: .currentStep.name, score, created_at: .createdAt
} else {
  type: "job", id: "\(.id)", status: {
    draft: "draft", waiting_approval: "draft", approved: "draft", disapproved: "draft", published: "published",
    frozen: "paused", closed: "closed", canceled: "archived"
  }[.status]
} end
