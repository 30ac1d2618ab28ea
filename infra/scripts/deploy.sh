#!/usr/bin/env bash
# Deploys STAGE from dist/assembly. With SMOKE_TEST=beside, the smoke test runs during the deployment, and stops it at
# the first wrong response. deploy.yml sets the environment variables.
set -euo pipefail
# shellcheck source=infra/scripts/shell.sh
. infra/scripts/shell.sh "$STAGE"

# Prints a variable of the functions; nothing if only AWS knows it, as with the stack's own user pool.
variable() {
  jq -r "[.Resources[].Properties.Environment.Variables.$1? | strings][0] // empty" \
    "dist/assembly/$STAGE/$STACK.template.json"
}

# Fails if no token can ever be accepted: the discovery document names another issuer or does not exist. An issuer that
# does not respond now may do so later.
check_issuer() {
  local issuer address answer status named code=0
  issuer=$(variable ISSUER)
  if [ -z "$issuer" ] || [ -n "$(variable JWKS_URI)" ]; then return; fi
  address=${issuer%/}/.well-known/openid-configuration
  # --globoff, because {realm} in an address that somebody forgot to fill in would be a list.
  answer=$(curl -sS --globoff --max-time 10 --retry 3 --retry-all-errors -w '\n%{http_code}' "$address") || code=$?
  status=${answer##*$'\n'}
  # 6: the host name does not exist.
  if [ "$code" = 6 ] || [ "$status" = 404 ]; then
    named='no issuer, because it does not exist'
  elif [ "$code" != 0 ] || [ "$status" -ge 400 ]; then
    echo "Warning: without the discovery document $address, the service accepts no token." >&2
    return
  else
    named=$(jq -r '.issuer // "no issuer"' <<<"${answer%$'\n'*}" 2>/dev/null) || named='no issuer'
  fi
  if [ "$named" != "$issuer" ]; then
    echo "Nothing was deployed: the setting issuer is $issuer, but the discovery document $address names $named. Set" \
      "issuer to the tokens' iss, or set jwksUri to the address of the keys." >&2
    return 1
  fi
}

# Returns the smoke test's exit code (1 for a wrong response), or 3 if it twice got no token or no outputs of the stack.
# Each run gets a new token, because tokens expire.
smoke() {
  local TOKEN base table
  for _ in 1 2; do
    if TOKEN=$(
      if [ -z "$TOKEN_ENDPOINT" ]; then
        token
      else
        request_token "$TOKEN_ENDPOINT" "$CLIENT_ID:$CLIENT_SECRET" "$TOKEN_PARAMETERS"
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

# live_version FUNCTION: prints the version to which its alias `live` leads.
live_version() {
  aws lambda get-alias --function-name "$1" --name live --output text --query FunctionVersion
}

# move_live FUNCTION VERSION
move_live() {
  aws lambda update-alias --function-name "$1" --name live --function-version "$2" \
    --routing-config AdditionalVersionWeights={}
}

# For a deployment that is too late to stop: moves the `live` aliases back to the previous function versions.
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

# Without npx, so that a signal reaches the CDK.
deploy=(node_modules/.bin/cdk deploy --app "dist/assembly/$STAGE" --require-approval never)

if [ "$SMOKE_TEST" != beside ]; then
  "${deploy[@]}"
  go_forward
  [ "$SMOKE_TEST" = none ] || smoke
  exit
fi

versions=()
functions=$(resources AWS::Lambda::Function)
for function in $functions; do
  version=$(live_version "$function")
  versions+=("$function $version")
done
# If the running version already fails, nothing is deployed.
smoke --for 10s
"${deploy[@]}" &
deployment=$!
while kill -0 "$deployment" 2>/dev/null; do
  code=0
  smoke --for 2m || code=$?
  case $code in
    0) continue ;;
    # The command line of the smoke test was invalid, which says nothing about the new function version.
    2) sleep 10 && continue ;;
  esac
  # After this signal, the CDK starts no further stack update.
  kill "$deployment" 2>/dev/null || true
  wait "$deployment" || true
  # An update that the CDK has just requested may begin seconds later, so look three times.
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
code=0
smoke || code=$?
[ "$code" != 1 ] || go_back
exit "$code"
