#!/usr/bin/env bash
# Creates the IAM role with which GitHub deploys a stage, in the stage's account. An existing role gets new policies:
#   AWS_REGION=eu-west-1 ACCOUNT=111122223333 REPOSITORY=OWNER@OWNER-ID/NAME@ID STAGE=prod TENANT=default bash infra/scripts/deploy-role.sh
#
# REPOSITORY is as in the subject of a workflow's OpenID Connect token; this command prints it:
#   gh api repos/OWNER/NAME --jq '"\(.owner.login)@\(.owner.id)/\(.name)@\(.id)"'
# For a repository created before 15 July 2026 and neither renamed nor opted in to ids, it is OWNER/NAME.
#
# GitHub does not store an AWS key: workflows prove their identity by OpenID Connect. Only jobs in the stage's GitHub
# environment get the role, which may:
# - use the roles of `npx cdk bootstrap` for deployments, files and look-ups
# - read the stage's stack and roll it back
# - stop rollouts, and move the aliases of the stack's functions
# - read the bootstrap's version and the quotas before the first deployment, and who gets alarms afterwards
# - read the client of the stage's user pool, whose secret the smoke test needs for a token
# - write items whose partition key belongs to the smoke test (the condition on dynamodb:LeadingKeys), with the KMS key
set -eu
# shellcheck source=infra/scripts/github-role.sh
. "$(dirname "$0")/github-role.sh"
qualifier=$(node -p 'require("./cdk.json").context["@aws-cdk/core:bootstrapQualifier"] ?? "hnb659fds"')
# Encoded as in the table's keys. IAM reads a bare asterisk as a wildcard, and `${*}` as an asterisk.
tenant=$(node -p 'encodeURIComponent(process.argv[1]).replaceAll("*", "$${*}")' "$TENANT")
# CloudFormation shortens generated names to 64 characters, but keeps at least 25 characters of the stack's name.
function=$(printf %.25s "RecruitmentService-$STAGE-")

# All stages in an account share one OpenID Connect provider.
aws iam list-open-id-connect-providers --output text | grep -q token.actions.githubusercontent.com ||
  aws iam create-open-id-connect-provider --url https://token.actions.githubusercontent.com \
    --client-id-list sts.amazonaws.com

put_github_role "recruitment-deploy-$STAGE" deploy "$STAGE" --max-session-duration 7200 <<END
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
  {"Sid": "AskAccount", "Effect": "Allow", "Action": ["lambda:GetAccountSettings", "logs:DescribeResourcePolicies"],
    "Resource": "*"},
  {"Sid": "AskBootstrap", "Effect": "Allow", "Action": "ssm:GetParameters",
    "Resource": "arn:aws:ssm:$AWS_REGION:$ACCOUNT:parameter/cdk-bootstrap/$qualifier/version"},
  {"Sid": "AskMail", "Effect": "Allow", "Action": "sns:ListSubscriptionsByTopic",
    "Resource": "arn:aws:sns:$AWS_REGION:$ACCOUNT:RecruitmentService-$STAGE-*"},
  {"Sid": "GetToken", "Effect": "Allow", "Action": "cognito-idp:DescribeUserPoolClient",
    "Resource": "arn:aws:cognito-idp:$AWS_REGION:$ACCOUNT:userpool/*",
    "Condition": {"StringEquals": {"aws:ResourceTag/stage": "$STAGE"}}},
  {"Sid": "SmokeTest", "Effect": "Allow", "Action": "dynamodb:BatchWriteItem",
    "Resource": "arn:aws:dynamodb:$AWS_REGION:$ACCOUNT:table/RecruitmentService-$STAGE-*",
    "Condition": {
      "ForAllValues:StringLike": {"dynamodb:LeadingKeys": "TENANT#$tenant#JOB#smoke-*"},
      "Null": {"dynamodb:LeadingKeys": "false"}}},
  {"Sid": "SmokeTestKey", "Effect": "Allow",
    "Action": ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:ReEncryptFrom", "kms:ReEncryptTo",
      "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext"],
    "Resource": "arn:aws:kms:$AWS_REGION:$ACCOUNT:key/*",
    "Condition": {"StringEquals": {
      "aws:ResourceTag/stage": "$STAGE",
      "kms:ViaService": "dynamodb.$AWS_REGION.amazonaws.com"}}}
]}
END
