#!/usr/bin/env bash
# Makes 200 copies of the sample of each recipe, with ids of their own, and imports what the recipe makes of them, as a
# dry run. Needs jq and a running `npm start`.
# Usage: bash test/infra/commands/import/recipes/dry-run.sh
set -euo pipefail

cd "$(dirname "$0")"
recipes=../../../../../docs/recipes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every id changes in the same way, so references still hold.
copies='range(200) as $n | .[] | walk(if type != "object" then . else with_entries(
  if .value == null or (.key | test("^(id|contact|posting|shortcode)$|_id$") | not) then .
  elif .value | type == "number" then .value = .value * 1000 + $n
  else .value += "-\($n)" end) end)'

run() {
  jq -c "${@:2}" -f "$recipes/$1.jq" >"$work/$1.ndjson"
  echo "== $1: $(wc -l <"$work/$1.ndjson") records"
  npm run -s import -- "$work/$1.ndjson" --dry-run
}

for name in ashby gupy lever smartrecruiters workable; do jq -c "$copies" $name.json | run $name; done
jq -c "$copies" greenhouse.json | run greenhouse -s
jq -c "$copies" json-resume.json | run json-resume --arg job 4007 --arg candidate c-1 --arg created 2026-11-01T12:00:00Z
{
  cat csv.csv
  for n in {2..200}; do sed 1d csv.csv | sed "s/,c-/,c-$n-/"; done
} | run csv -R -s
