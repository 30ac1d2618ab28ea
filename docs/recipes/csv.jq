# CSV in UTF-8 with a line of column names (RFC 4180). Write your own names in place of "Job ID", "Candidate ID" and so on.
# --arg delimiter ';' and --arg decimal ',' unless they are a comma and a point.
($ARGS.named.delimiter // ",") as $delimiter | ($ARGS.named.decimal // ".") as $decimal
# A row ends where the quotes are closed.
| def rows:
    foreach split("\n")[] as $line ({};
      .row = .open + $line | .open = if .row | split("\"") | length % 2 == 1 then null else .row + "\n" end;
      select(.open == null) | .row | rtrimstr("\r") | select(. != ""));
  def fields:
    [match("[\($delimiter)](?:\"((?:[^\"]|\"\")*)\"|([^\($delimiter)\"]*))"; "g").captures
      | .[0].string // .[1].string | gsub("\"\""; "\"")];
  def number:
    . as $text | try (split($decimal) | join(".") | tonumber)
      catch error("\($text) is not a number: name its decimal sign with --arg decimal SIGN");
  def named($names):
    if length == ($names | length) then [$names, map(if . == "" then null else . end)] | transpose | map({(.[0]): .[1]}) | add
    else error("a row has \(length) fields and not \($names | length): \(join($delimiter))") end;
[ltrimstr("\ufeff") | rows | "\($delimiter)\(.)" | fields] | .[0] as $names
| if $names | index("Job ID") then .[1:][] | named($names)
  else error("no column \"Job ID\" among \($names | tojson): name the delimiter with --arg delimiter SIGN") end
| {
  type: "application", job_id: .["Job ID"], user_id: .["Candidate ID"],
  name: .["Name"], email: (.["E-mail"] // "\(.["Candidate ID"])@no-address.invalid"), phone: .["Phone"], city: .["City"],
  stage_id: (.["Stage"] // "applied"), stage_title: (.["Stage"] // "Applied"),
  score: (if .["Score"] then .["Score"] | number else null end),
  created_at: "\(.["Date"])T00:00:00Z", resume_url: .["Résumé"]
}
