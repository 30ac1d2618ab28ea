#!/usr/bin/env bash
# Makes the role of the probe (.github/workflows/probe.yml) in the account of the stage, or gives it the current policies:
#   AWS_REGION=eu-west-1 ACCOUNT=111122223333 REPOSITORY=OWNER@OWNER-ID/NAME@ID STAGE=prod bash infra/scripts/probe-role.sh
# REPOSITORY is as for deploy-role.sh, which also creates the provider. Only a job in the GitHub environment `probe` gets the
# role. It may read the stack's outputs, and the client with which the user pool issues a token.
set -eu
role=recruitment-probe-$STAGE
cd "$(mktemp -d)"
cat >trust.json <<END
{"Version": "2012-10-17", "Statement": [{
  "Effect": "Allow",
  "Principal": {"Federated": "arn:aws:iam::$ACCOUNT:oidc-provider/token.actions.githubusercontent.com"},
  "Action": "sts:AssumeRoleWithWebIdentity",
  "Condition": {"StringEquals": {
    "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
    "token.actions.githubusercontent.com:sub": "repo:$REPOSITORY:environment:probe"
  }}
}]}
END
cat >permissions.json <<END
{"Version": "2012-10-17", "Statement": [
  {"Sid": "ReadOutputs", "Effect": "Allow", "Action": "cloudformation:DescribeStacks",
    "Resource": "arn:aws:cloudformation:$AWS_REGION:$ACCOUNT:stack/RecruitmentService-$STAGE/*"},
  {"Sid": "GetToken", "Effect": "Allow", "Action": "cognito-idp:DescribeUserPoolClient",
    "Resource": "arn:aws:cognito-idp:$AWS_REGION:$ACCOUNT:userpool/*",
    "Condition": {"StringEquals": {"aws:ResourceTag/stage": "$STAGE"}}}
]}
END
existing=$(aws iam get-role --role-name "$role" --query Role.RoleName --output text 2>/dev/null) || existing=None
if [ "$existing" = None ]; then
  aws iam create-role --role-name "$role" --assume-role-policy-document file://trust.json
else
  aws iam update-assume-role-policy --role-name "$role" --policy-document file://trust.json
fi
aws iam put-role-policy --role-name "$role" --policy-name probe --policy-document file://permissions.json
