# shellcheck shell=bash
# Creates an IAM role for a workflow in a GitHub environment. An existing role gets new policies:
#   put_github_role ROLE POLICY ENVIRONMENT [OPTION of create-role …] < PERMISSIONS
put_github_role() {
  local role=$1 policy=$2 environment=$3 existing permissions trust
  shift 3
  permissions=$(cat)
  trust=$(
    cat <<END
{"Version": "2012-10-17", "Statement": [{
  "Effect": "Allow",
  "Principal": {"Federated": "arn:aws:iam::$ACCOUNT:oidc-provider/token.actions.githubusercontent.com"},
  "Action": "sts:AssumeRoleWithWebIdentity",
  "Condition": {"StringEquals": {
    "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
    "token.actions.githubusercontent.com:sub": "repo:$REPOSITORY:environment:$environment"
  }}
}]}
END
  )
  existing=$(aws iam get-role --role-name "$role" --query Role.RoleName --output text 2>/dev/null) || existing=None
  if [ "$existing" = None ]; then
    aws iam create-role --role-name "$role" "$@" --assume-role-policy-document "$trust"
  else
    aws iam update-assume-role-policy --role-name "$role" --policy-document "$trust"
  fi
  aws iam put-role-policy --role-name "$role" --policy-name "$policy" --policy-document "$permissions"
}
