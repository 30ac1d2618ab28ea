#!/usr/bin/env bash
# Deploys the stage STAGE from dist/assembly, with the smoke test beside it, which stops the deployment at the first
# wrong response. deploy-stage.yml sets the variables.
set -euo pipefail
stack=RecruitmentService-$STAGE

output() {
  aws cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"
}

# Each run gets a token of its own, because tokens expire.
smoke() {
  local endpoint=$TOKEN_ENDPOINT client=$CLIENT_ID secret=$CLIENT_SECRET token base table
  if [ -z "$endpoint" ]; then
    endpoint=$(output TokenEndpoint) && client=$(output ClientId) && secret=$(
      aws cognito-idp describe-user-pool-client --user-pool-id "$(output UserPoolId)" --client-id "$client" \
        --output text --query UserPoolClient.ClientSecret
    ) || return
  fi
  token=$(
    curl -sSf -X POST "$endpoint" -u "$client:$secret" -d grant_type=client_credentials \
      ${TOKEN_PARAMETERS:+-d "$TOKEN_PARAMETERS"} | jq -r .access_token
  ) && base=$(output BaseUrl) && table=$(output TableName) || return
  TOKEN=$token npm run -s smoke -- --base-url "$base" --table "$table" --region "$AWS_REGION" \
    --tenant "${TENANT:-default}" ${SMOKE_FILE:+--file "$SMOKE_FILE"} "$@"
}

# Not through npx, so that a signal reaches the CDK.
deploy=(node_modules/.bin/cdk deploy --app "dist/assembly/$STAGE" --require-approval never)

if [ "$SMOKE_TEST" = after ]; then
  "${deploy[@]}"
  smoke
  exit
fi

# Before anything changes: what is wrong already would stop the deployment.
smoke --for 10s
"${deploy[@]}" &
deployment=$!
while kill -0 "$deployment" 2>/dev/null; do
  smoke --for 2m && continue
  # From here on, the CDK starts nothing new.
  kill "$deployment" 2>/dev/null || true
  wait "$deployment" || true
  for _ in 1 2 3; do bash infra/stop-deployment.sh "$stack" && break; done
  echo "The smoke test failed, so the deployment was stopped." >&2
  exit 1
done
wait "$deployment"
smoke
