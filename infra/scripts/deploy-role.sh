#!/usr/bin/env bash
# Makes the role with which GitHub deploys a stage, in the account of the stage, or gives it the current policies:
#   AWS_REGION=eu-west-1 ACCOUNT=111122223333 REPOSITORY=OWNER@OWNER-ID/NAME@ID STAGE=prod TENANT=default bash infra/scripts/deploy-role.sh
# REPOSITORY is what GitHub writes into the subject of a run's token. This prints it:
#   gh api repos/OWNER/NAME --jq '"\(.owner.login)@\(.owner.id)/\(.name)@\(.id)"'
# For a repository that is older than 15 July 2026, has not been renamed and has not opted in, it is OWNER/NAME.
# A run proves its identity to AWS by OpenID Connect, so no key is stored. Only a job in the stage's GitHub environment gets the
# role. It may use the roles that `npx cdk bootstrap` created, read and roll back its stack, stop rollouts, move the aliases of
# its functions, and write the items of the smoke test and no other (dynamodb:LeadingKeys). The provider exists once for each
# account. The qualifier of the bootstrap is that of cdk.json, or the CDK's own.
set -eu
qualifier=$(node -p 'require("./cdk.json").context["@aws-cdk/core:bootstrapQualifier"] ?? "hnb659fds"')
# As it is in the keys of the table. In a policy, `${*}` is an asterisk, and a bare one is a wildcard.
tenant=$(node -p 'encodeURIComponent(process.argv[1]).replaceAll("*", "$${*}")' "$TENANT")
# CloudFormation cuts the generated name of a function to 64 characters: at least 25 of them are the stack's name.
function=$(printf %.25s "RecruitmentService-$STAGE-")
role=recruitment-deploy-$STAGE
cd "$(mktemp -d)"

aws iam list-open-id-connect-providers --output text | grep -q token.actions.githubusercontent.com ||
  aws iam create-open-id-connect-provider --url https://token.actions.githubusercontent.com \
    --client-id-list sts.amazonaws.com

cat >trust.json <<END
{"Version": "2012-10-17", "Statement": [{
  "Effect": "Allow",
  "Principal": {"Federated": "arn:aws:iam::$ACCOUNT:oidc-provider/token.actions.githubusercontent.com"},
  "Action": "sts:AssumeRoleWithWebIdentity",
  "Condition": {"StringEquals": {
    "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
    "token.actions.githubusercontent.com:sub": "repo:$REPOSITORY:environment:$STAGE"
  }}
}]}
END
cat >permissions.json <<END
{"Version": "2012-10-17", "Statement": [
  {"Sid": "Deploy", "Effect": "Allow", "Action": "sts:AssumeRole", "Resource": [
    "arn:aws:iam::$ACCOUNT:role/cdk-$qualifier-deploy-role-$ACCOUNT-$AWS_REGION",
    "arn:aws:iam::$ACCOUNT:role/cdk-$qualifier-file-publishing-role-$ACCOUNT-$AWS_REGION",
    "arn:aws:iam::$ACCOUNT:role/cdk-$qualifier-lookup-role-$ACCOUNT-$AWS_REGION"]},
  {"Sid": "RollBack", "Effect": "Allow",
    "Action": ["cloudformation:DescribeStacks", "cloudformation:ListStackResources", "cloudformation:CancelUpdateStack"],
    "Resource": "arn:aws:cloudformation:$AWS_REGION:$ACCOUNT:stack/RecruitmentService-$STAGE/*"},
  {"Sid": "StopRollout", "Effect": "Allow",
    "Action": ["codedeploy:ListDeployments", "codedeploy:GetDeployment", "codedeploy:StopDeployment"],
    "Resource": "arn:aws:codedeploy:$AWS_REGION:$ACCOUNT:deploymentgroup:RecruitmentService-$STAGE-*/*"},
  {"Sid": "GoBack", "Effect": "Allow", "Action": ["lambda:GetAlias", "lambda:UpdateAlias"],
    "Resource": "arn:aws:lambda:$AWS_REGION:$ACCOUNT:function:$function*"},
  {"Sid": "GetToken", "Effect": "Allow", "Action": "cognito-idp:DescribeUserPoolClient",
    "Resource": "arn:aws:cognito-idp:$AWS_REGION:$ACCOUNT:userpool/*",
    "Condition": {"StringEquals": {"aws:ResourceTag/stage": "$STAGE"}}},
  {"Sid": "SmokeTest", "Effect": "Allow", "Action": "dynamodb:BatchWriteItem",
    "Resource": "arn:aws:dynamodb:$AWS_REGION:$ACCOUNT:table/RecruitmentService-$STAGE-*",
    "Condition": {
      "ForAllValues:StringLike": {"dynamodb:LeadingKeys": "TENANT#$tenant#JOB#smoke-*"},
      "Null": {"dynamodb:LeadingKeys": "false"}}},
  {"Sid": "SmokeTestKey", "Effect": "Allow", "Action": "kms:Decrypt",
    "Resource": "arn:aws:kms:$AWS_REGION:$ACCOUNT:key/*",
    "Condition": {"StringEquals": {
      "aws:ResourceTag/stage": "$STAGE",
      "kms:ViaService": "dynamodb.$AWS_REGION.amazonaws.com"}}}
]}
END
existing=$(aws iam get-role --role-name "$role" --query Role.RoleName --output text 2>/dev/null) || existing=None
if [ "$existing" = None ]; then
  aws iam create-role --role-name "$role" --max-session-duration 7200 --assume-role-policy-document file://trust.json
else
  aws iam update-assume-role-policy --role-name "$role" --policy-document file://trust.json
fi
aws iam put-role-policy --role-name "$role" --policy-name deploy --policy-document file://permissions.json
