#!/usr/bin/env bash
# Creates the role of .github/workflows/probe.yml in the stage's account. An existing role gets new policies:
#   AWS_REGION=eu-west-1 ACCOUNT=111122223333 REPOSITORY=OWNER@OWNER-ID/NAME@ID STAGE=prod bash infra/scripts/probe-role.sh
#
# deploy-role.sh explains REPOSITORY, and creates the OpenID Connect provider. Only jobs in the GitHub environment
# `probe` get the role. It may read the stack's outputs, and the client of the stage's user pool, whose secret the probe
# needs for a token.
set -eu
# shellcheck source=infra/scripts/github-role.sh
. "$(dirname "$0")/github-role.sh"

put_github_role "recruitment-probe-$STAGE" probe probe <<END
{"Version": "2012-10-17", "Statement": [
  {"Sid": "ReadOutputs", "Effect": "Allow", "Action": "cloudformation:DescribeStacks",
    "Resource": "arn:aws:cloudformation:$AWS_REGION:$ACCOUNT:stack/RecruitmentService-$STAGE/*"},
  {"Sid": "GetToken", "Effect": "Allow", "Action": "cognito-idp:DescribeUserPoolClient",
    "Resource": "arn:aws:cognito-idp:$AWS_REGION:$ACCOUNT:userpool/*",
    "Condition": {"StringEquals": {"aws:ResourceTag/stage": "$STAGE"}}}
]}
END
