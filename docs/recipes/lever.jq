# Lever: all pages of GET /postings and of GET /opportunities?expand=applications&expand=stage
# (https://hire.lever.co/developer/documentation). An opportunity without a posting is not an application.
def instant: . / 1000 | floor | todate;
.data[] | if has("state") then {
  type: "job", id,
  status: {published: "published", internal: "published", closed: "closed", draft: "draft", pending: "draft", rejected: "archived"}[.state]
} else . as $person | .applications[] | select(.posting) | {
  type: "application", job_id: .posting, user_id: $person.contact, name: $person.name,
  email: ($person.emails[0] // "\($person.contact)@no-address.invalid"), phone: $person.phones[0].value,
  linked_in: ([$person.links[]? | select(test("linkedin\\."))][0] | if . then sub("^https?://"; "") else null end),
  city: $person.location, summary: ($person.headline | if . == "" then null else . end),
  stage_id: $person.stage.id, stage_title: $person.stage.text, created_at: (.createdAt | instant)
} end
