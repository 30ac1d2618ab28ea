#!/usr/bin/env bash
# Deploys STAGE from dist/assembly, after checking its account and its issuer. SMOKE_TEST is beside, after or none: with
# beside, the smoke test runs during the deployment, and stops it at the first wrong response. With an issuer of your
# own, TOKEN_ENDPOINT, CLIENT_ID, CLIENT_SECRET and TOKEN_PARAMETERS say how the smoke test gets a token.
set -euo pipefail
# shellcheck source=infra/scripts/shell.sh
. infra/scripts/shell.sh "$STAGE"
# shellcheck source=infra/scripts/account.sh
. infra/scripts/account.sh

# Returns the smoke test's exit code (1 for a wrong response), or 3 if it twice failed to get a token or the stack's
# outputs. Each run gets a new token, because tokens expire.
smoke() {
  local TOKEN base table
  for _ in 1 2; do
    if TOKEN=$(
      if [ -z "${TOKEN_ENDPOINT:-}" ]; then
        token
      else
        request_token "$TOKEN_ENDPOINT" "$CLIENT_ID:$CLIENT_SECRET" "${TOKEN_PARAMETERS:-}"
      fi
    ) && base=$(output BaseUrl) && table=$(output TableName); then
      TOKEN=$TOKEN npm run -s smoke -- --base-url "$base" --table "$table" --region "$AWS_REGION" \
        --tenant "${TENANT:-default}" ${SMOKE_FILE:+--file "$SMOKE_FILE"} "$@"
      return
    fi
    sleep 10
  done
  return 3
}

# live_version FUNCTION: prints the version that its alias `live` points to.
live_version() {
  aws lambda get-alias --function-name "$1" --name live --output text --query FunctionVersion
}

# move_live FUNCTION VERSION
move_live() {
  aws lambda update-alias --function-name "$1" --name live --function-version "$2" \
    --routing-config AdditionalVersionWeights={}
}

# For when it is too late to stop the deployment: moves the `live` aliases back to the previous function versions.
go_back() {
  local each
  for each in "${versions[@]}"; do
    move_live "${each% *}" "${each#* }" || return
  done
  echo "The smoke test failed after the deployment: the previous function versions have the traffic. Deploy next with" \
    "-c rollOut=direct." >&2
}

# Moves the `live` aliases to the deployed versions. After `go_back`, CloudFormation itself moves an alias only if its
# function has changed.
go_forward() {
  local version current
  for version in $(resources AWS::Lambda::Version); do
    current=$(live_version "${version%:*}")
    [ "$current" = "${version##*:}" ] || move_live "${version%:*}" "${version##*:}"
  done
}

check_issuer
if is_new; then check_account; fi

# Without npx, so that a signal reaches the CDK.
deploy=(node_modules/.bin/cdk deploy --app "dist/assembly/$STAGE" --require-approval never)

if [ "$SMOKE_TEST" != beside ]; then
  "${deploy[@]}"
  go_forward
  check_mail
  [ "$SMOKE_TEST" = none ] || smoke
  exit
fi

versions=()
functions=$(resources AWS::Lambda::Function)
for function in $functions; do
  version=$(live_version "$function")
  versions+=("$function $version")
done
# Do not deploy if the running version already fails.
smoke --for 10s
"${deploy[@]}" &
deployment=$!
while kill -0 "$deployment" 2>/dev/null; do
  code=0
  smoke --for 2m || code=$?
  case $code in
    0) continue ;;
    # A command line that the smoke test refuses says nothing about the new function version.
    2) sleep 10 && continue ;;
  esac
  # After this signal, the CDK does not start another stack update.
  kill "$deployment" 2>/dev/null || true
  wait "$deployment" || true
  # Look three times: an update that the CDK has just requested may begin seconds later.
  for _ in 1 2 3; do
    if bash infra/scripts/stop-deployment.sh "$STACK"; then
      echo "The smoke test failed, so the deployment was rolled back." >&2
      exit 1
    fi
    sleep 10
  done
  go_back
  exit 1
done
wait "$deployment"
go_forward
check_mail
code=0
smoke || code=$?
[ "$code" != 1 ] || go_back
exit "$code"
