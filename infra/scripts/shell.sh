# shellcheck shell=bash
# Shell functions for the other scripts and the commands in docs/. In bash or zsh:
#   . infra/scripts/shell.sh prod
# Needs the AWS CLI 2, jq, the account's credentials, and the stage's region in AWS_REGION.
[ -z "${ZSH_VERSION:-}" ] || setopt interactive_comments
export AWS_REGION="${AWS_REGION:?Set it to the region of the stage.}" AWS_PAGER=
STAGE=${1:-prod}
STACK=RecruitmentService-$STAGE

output() {
  aws cloudformation describe-stacks --stack-name "$STACK" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"
}

# Prints the names of the stack's resources of a type: resources AWS::Lambda::Function [START_OF_LOGICAL_ID]
resources() {
  aws cloudformation list-stack-resources --stack-name "$STACK" --output text \
    --query "StackResourceSummaries[?ResourceType=='$1'&&starts_with(LogicalResourceId,'${2:-}')].PhysicalResourceId" |
    tr '\t' '\n'
}

# Prints an access token from the stack's user pool, with both scopes.
token() {
  secret=$(aws cognito-idp describe-user-pool-client --user-pool-id "$(output UserPoolId)" \
    --client-id "$(output ClientId)" --query UserPoolClient.ClientSecret --output text) &&
    request_token "$(output TokenEndpoint)" "$(output ClientId):$secret"
}

# Prints an access token from any issuer: request_token ENDPOINT ID:SECRET [PARAMETERS]
# PARAMETERS are further form fields that the issuer needs, such as audience=recruitment.
request_token() {
  curl -sSf --max-time 10 --retry 3 --retry-all-errors -X POST "$1" -u "$2" \
    -d "grant_type=client_credentials${3:+&$3}" | jq -er .access_token
}
