# SmartRecruiters: all pages of GET /jobs and, for each candidate, GET /candidates/{id}
# (https://dev.smartrecruiters.com/customer-api/candidate-api__trashed/endpoints/candidates-details/). They have no time of
# an application: it gets that of the candidate.
if has("content") then .content[] | {
  type: "job", id, status: {
    CREATED: "draft", SOURCING: "published", INTERVIEW: "published", OFFER: "published",
    ON_HOLD: "paused", FILLED: "closed", CANCELLED: "archived"
  }[.status]
} else . as $person | .primaryAssignment, .secondaryAssignments[]? | select(.job) | {
  type: "application", job_id: .job.id, user_id: $person.id, name: "\($person.firstName) \($person.lastName)",
  email: ($person.email // "\($person.id)@no-address.invalid"), phone: $person.phoneNumber,
  linked_in: ($person.web | .linkedin // .linkedIn | if . then sub("^https?://"; "") else null end),
  city: $person.location.city, region: $person.location.region, country: $person.location.country,
  education: [$person.education[]? | {
    institution, degree, field_of_study: .major, start_date: .startDate, end_date: .endDate, current, location, description
  }],
  experience: [$person.experience[]? | {
    title, company, start_date: .startDate, end_date: .endDate, current, location, description
  }],
  stage_id: .status, stage_title: (.subStatus // .status), created_at: $person.createdOn
} end
