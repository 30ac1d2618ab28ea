#!/usr/bin/env bash
# Deploys the stage STAGE from dist/assembly, with the smoke test beside it, which stops the deployment at the first
# wrong response. deploy-stage.yml sets the variables.
set -euo pipefail
# shellcheck source=infra/scripts/shell.sh
. infra/scripts/shell.sh "$STAGE"

# The exit code of the smoke test: 1 if a response is wrong. 3 if even a second attempt gets no token or output.
# Each run gets a token of its own, because tokens expire.
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

# Gives the traffic back to the versions that had it, if the deployment can no longer be stopped.
go_back() {
  local each
  for each in "${versions[@]}"; do
    aws lambda update-alias --function-name "${each% *}" --name live --function-version "${each#* }" \
      --routing-config AdditionalVersionWeights={} || return
  done
  echo "The smoke test failed after the deployment: the previous versions have the traffic. Deploy next with" \
    "-c rollOut=direct." >&2
}

# Not through npx, so that a signal reaches the CDK.
deploy=(node_modules/.bin/cdk deploy --app "dist/assembly/$STAGE" --require-approval never)

if [ "$SMOKE_TEST" != beside ]; then
  "${deploy[@]}"
  [ "$SMOKE_TEST" = none ] || smoke
  exit
fi

versions=()
functions=$(resources AWS::Lambda::Function)
for function in $functions; do
  version=$(aws lambda get-alias --function-name "$function" --name live --output text --query FunctionVersion)
  versions+=("$function $version")
done
# Before anything changes: what is wrong already would stop the deployment.
smoke --for 10s
"${deploy[@]}" &
deployment=$!
while kill -0 "$deployment" 2>/dev/null; do
  code=0
  smoke --for 2m || code=$?
  case $code in
    0) continue ;;
    # The command line was invalid, which says nothing of the version.
    2) sleep 10 && continue ;;
  esac
  # From here on, the CDK starts nothing new.
  kill "$deployment" 2>/dev/null || true
  wait "$deployment" || true
  # What it started last may begin only now.
  for _ in 1 2 3; do
    code=0
    bash infra/scripts/stop-deployment.sh "$STACK" || code=$?
    sleep 10
  done
  if [ "$code" = 0 ]; then
    echo "The smoke test failed, so the deployment was rolled back." >&2
  else
    go_back
  fi
  exit 1
done
wait "$deployment"
code=0
smoke || code=$?
[ "$code" != 1 ] || go_back
exit "$code"
