#!/usr/bin/env bash
# Makes the role with which GitHub deploys a stage, in the account of the stage:
#   AWS_REGION=eu-west-1 ACCOUNT=111122223333 REPOSITORY=OWNER/REPOSITORY STAGE=prod TENANT=default bash docs/deploy-role.sh
# A run proves its identity to AWS by OpenID Connect, so no key is stored. Only a job in the stage's GitHub environment gets the
# role. It may use the roles that `npx cdk bootstrap` created, read and roll back its stack, stop rollouts, move the aliases of
# its functions, and write the items of the smoke test and no other (dynamodb:LeadingKeys). The provider exists once for each
# account.
set -eu
cd "$(mktemp -d)"
# As it is in the keys of the table.
TENANT=$(node -p 'encodeURIComponent(process.argv[1])' "$TENANT")

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
    "arn:aws:iam::$ACCOUNT:role/cdk-hnb659fds-deploy-role-$ACCOUNT-$AWS_REGION",
    "arn:aws:iam::$ACCOUNT:role/cdk-hnb659fds-file-publishing-role-$ACCOUNT-$AWS_REGION",
    "arn:aws:iam::$ACCOUNT:role/cdk-hnb659fds-lookup-role-$ACCOUNT-$AWS_REGION"]},
  {"Sid": "RollBack", "Effect": "Allow",
    "Action": ["cloudformation:DescribeStacks", "cloudformation:ListStackResources", "cloudformation:CancelUpdateStack"],
    "Resource": "arn:aws:cloudformation:$AWS_REGION:$ACCOUNT:stack/RecruitmentService-$STAGE/*"},
  {"Sid": "StopRollout", "Effect": "Allow",
    "Action": ["codedeploy:ListDeployments", "codedeploy:GetDeployment", "codedeploy:StopDeployment"],
    "Resource": "arn:aws:codedeploy:$AWS_REGION:$ACCOUNT:deploymentgroup:RecruitmentService-$STAGE-*/*"},
  {"Sid": "GoBack", "Effect": "Allow", "Action": ["lambda:GetAlias", "lambda:UpdateAlias"],
    "Resource": "arn:aws:lambda:$AWS_REGION:$ACCOUNT:function:RecruitmentService-$STAGE-*"},
  {"Sid": "GetToken", "Effect": "Allow", "Action": "cognito-idp:DescribeUserPoolClient",
    "Resource": "arn:aws:cognito-idp:$AWS_REGION:$ACCOUNT:userpool/*",
    "Condition": {"StringEquals": {"aws:ResourceTag/stage": "$STAGE"}}},
  {"Sid": "SmokeTest", "Effect": "Allow", "Action": "dynamodb:BatchWriteItem",
    "Resource": "arn:aws:dynamodb:$AWS_REGION:$ACCOUNT:table/RecruitmentService-$STAGE-*",
    "Condition": {
      "ForAllValues:StringLike": {"dynamodb:LeadingKeys": "TENANT#$TENANT#JOB#smoke-*"},
      "Null": {"dynamodb:LeadingKeys": "false"}}},
  {"Sid": "SmokeTestKey", "Effect": "Allow", "Action": "kms:Decrypt",
    "Resource": "arn:aws:kms:$AWS_REGION:$ACCOUNT:key/*",
    "Condition": {"StringEquals": {
      "aws:ResourceTag/stage": "$STAGE",
      "kms:ViaService": "dynamodb.$AWS_REGION.amazonaws.com"}}}
]}
END
aws iam create-role --role-name "recruitment-deploy-$STAGE" --max-session-duration 7200 \
  --assume-role-policy-document file://trust.json
aws iam put-role-policy --role-name "recruitment-deploy-$STAGE" --policy-name deploy \
  --policy-document file://permissions.json
