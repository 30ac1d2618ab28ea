#!/usr/bin/env bash
# Fails unless every change to docs/openapi.json since the last release before HEAD is an addition. Needs Go, jq and the full history.
set -euo pipefail

cd "$(dirname "$0")/../.."
release=$(git log -1 --format=%h -G'^  "version":' HEAD~ -- package.json)
version=$(git show "$release:package.json" | jq -r .version)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# oasdiff treats a webhook's body as a request. The service sends the events, so present each as a response.
events_as_responses='
  .paths += (.webhooks | with_entries(
    .key |= "/\(.)" | .value.post |= {responses: {"200": {description: "The event.", content: .requestBody.content}}}
  )) | del(.webhooks)'
git show "$release:docs/openapi.json" | jq "$events_as_responses" >"$work/released.json"
jq "$events_as_responses" docs/openapi.json >"$work/current.json"
# Exceptions: these made the lists' elements the platform's own (docs/decisions.md, "Reading an application"). Delete
# them with the next release.
cat >"$work/exceptions" <<'END'
GET /v1/jobs/{id}/applications/{candidate_id} the response property `evaluations/items/id` became nullable for the status `200`
GET /v1/jobs/{id}/applications/{candidate_id} the response property `evaluations/items/evaluator` became nullable for the status `200`
GET /v1/jobs/{id}/applications/{candidate_id} the response property `evaluations/items/evaluator/id` became nullable for the status `200`
END
echo "docs/openapi.json compared with that of $version ($release):"
go run github.com/oasdiff/oasdiff@v1.35.0 breaking --fail-on WARN --err-ignore "$work/exceptions" "$work/released.json" "$work/current.json"
