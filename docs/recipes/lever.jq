# Lever: all pages of GET /postings and of GET /opportunities?expand=applications&expand=stage
# (https://hire.lever.co/developer/documentation). An opportunity without a posting is not an application.
def text: if type != "string" then . else
  if test("^\\s|\\s$") then gsub("^\\s+|\\s+$"; "") else . end | if . == "" then null else . end end;
def first_of(f): [f | text | values][0];
.data[] | if has("state") then {
  type: "job", id,
  status: {published: "published", internal: "published", closed: "closed", draft: "draft", pending: "draft", rejected: "archived"}[.state // ""]
} elif has("applications") then . as $person | .applications[]? | select(.posting | text) | {
  type: "application", job_id: .posting, user_id: $person.contact, name: ($person.name | text),
  email: (first_of($person.emails[]?) // "\($person.contact)@no-address.invalid"), phone: first_of($person.phones[]?.value),
  linked_in: (first_of($person.links[]? | select(test("linkedin\\."))) | if . then sub("^https?://"; "") else null end),
  city: ($person.location | text), summary: ($person.headline | text),
  stage_id: $person.stage.id, stage_title: ($person.stage.text | text),
  created_at: (.createdAt | if type == "number" then . / 1000 | floor | todate else . end)
} else error("a resource is neither a posting nor an opportunity with applications") end
