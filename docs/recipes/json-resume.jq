# JSON Resume: https://jsonresume.org/schema. It has no application: name the job, the candidate and the time with
# --arg job 4007 --arg candidate c-1 --arg created 2026-11-01T12:00:00Z.
def text: if . == "" then null else . end;
def date: if type == "string" and test("^\\d{4}(-\\d\\d){0,2}$") then . else null end;
{
  type: "application", job_id: $job, user_id: $candidate, name: .basics.name,
  email: ((.basics.email | text) // "\($candidate)@no-address.invalid"), phone: (.basics.phone | text),
  linked_in: ([.basics.profiles[]? | .url // "" | select(test("linkedin\\."))][0] // "" | sub("^https?://"; "") | text),
  city: .basics.location.city, region: .basics.location.region, country: .basics.location.countryCode,
  summary: .basics.summary, position: .basics.label,
  education: [.education[]? | {
    institution, degree: .studyType, field_of_study: .area,
    start_date: (.startDate | date), end_date: (.endDate | date)
  }],
  experience: [.work[]? | {
    title: .position, company: .name, location,
    description: ([.summary, .highlights[]?] | map(select(. != null and . != "")) | join("\n") | text),
    start_date: (.startDate | date), end_date: (.endDate | date), current: (.endDate | date == null)
  }],
  stage_id: "applied", stage_title: "Applied", created_at: $created
}
