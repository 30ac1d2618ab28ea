# shellcheck shell=bash
# How deploy.sh checks the token issuer and the account. Needs shell.sh and the assembly in dist/assembly. If AWS does
# not answer, for example because the role lacks the permission, a check only warns.

in_template() {
  jq -r "$1" "dist/assembly/$STAGE/$STACK.template.json"
}

# Prints a property of the stack in the assembly's manifest.
in_manifest() {
  jq -r ".artifacts[\"$STACK\"].properties.$1" "dist/assembly/$STAGE/manifest.json"
}

# Prints one of the functions' environment variables, or nothing if only AWS knows its value, as with the stack's own
# user pool.
variable() {
  in_template "[.Resources[].Properties.Environment.Variables.$1? | strings][0] // empty"
}

# Fails if no token can ever be accepted: the discovery document does not exist, or names another issuer. Only warns if
# the issuer does not respond, because it may later.
check_issuer() {
  local issuer address answer status named code=0
  issuer=$(variable ISSUER)
  if [ -z "$issuer" ] || [ -n "$(variable JWKS_URI)" ]; then return; fi
  address=${issuer%/}/.well-known/openid-configuration
  # --globoff: if somebody forgot to fill in {realm}, curl would read it as a list.
  # --fail: otherwise, the bodies of failed attempts would precede the document.
  answer=$(curl -sS --fail --globoff --max-time 10 --retry 3 --retry-connrefused -w '\n%{http_code}' "$address") || code=$?
  status=${answer##*$'\n'}
  # 6: the host name does not resolve.
  if [ "$code" = 6 ]; then
    named='no issuer, because its host does not exist'
  elif [ "$status" = 404 ]; then
    named='no issuer, because it does not exist'
  elif [ "$code" != 0 ]; then
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

# Succeeds if the stage has no stack yet, or one whose creation failed or never began.
is_new() {
  local state
  state=$(aws cloudformation describe-stacks --stack-name "$STACK" --query 'Stacks[0].StackStatus' --output text 2>&1) || true
  [[ $state =~ ^(REVIEW_IN_PROGRESS|ROLLBACK_COMPLETE|ROLLBACK_FAILED)$|'does not exist' ]]
}

number() {
  if [[ $1 =~ ^[0-9]+$ ]]; then echo "$1"; else echo unknown; fi
}

# Fails if a stage's first deployment cannot succeed, and names all reasons at once.
check_account() {
  local needed version free reserved peak policies result=0
  needed=$(in_manifest requiresBootstrapStackVersion)
  version=$(aws ssm get-parameters --names "$(in_manifest bootstrapStackVersionSsmParameter)" \
    --query 'Parameters[0].Value' --output text) || true
  version=$(number "${version/None/0}")
  if [ "$version" = unknown ]; then
    echo 'Warning: the version of the CDK bootstrap is unknown.' >&2
  elif [ "$version" -lt "$needed" ]; then
    echo "Nothing was deployed: the CDK bootstrap in $AWS_REGION is missing or older than version $needed. Run npx cdk" \
      'bootstrap.' >&2
    result=1
  fi

  # AWS keeps 100 executions unreserved. At worst, a request takes 2 s to start, and then the whole timeout.
  reserved=$(in_template '[.Resources[].Properties.ReservedConcurrentExecutions // 0] | add')
  peak=$(in_template '([.Resources[] | select(.Type == "AWS::ApiGatewayV2::Stage").Properties.DefaultRouteSettings][0]) as $route
    | [.Resources[] | select(.Type == "AWS::Lambda::Function").Properties.Timeout
      | $route.ThrottlingBurstLimit + (. + 2) * $route.ThrottlingRateLimit] | add')
  free=$(number "$(aws lambda get-account-settings --query AccountLimit.UnreservedConcurrentExecutions --output text)")
  if [ "$free" = unknown ]; then
    echo "Warning: Lambda's quota of concurrent executions is unknown." >&2
  elif [ "$reserved" -gt 0 ] && [ "$free" -lt $((reserved + 100)) ]; then
    echo "Nothing was deployed: the functions reserve $reserved of Lambda's concurrent executions, and AWS keeps 100" \
      "unreserved, but only $free are free in $AWS_REGION. Raise the quota in Service Quotas." >&2
    result=1
  elif [ "$free" -lt "$peak" ]; then
    echo "Warning: at worst, the throttle admits $peak concurrent executions, but only $free are free in $AWS_REGION." \
      'Above that, clients get 500 or 503. Raise the quota in Service Quotas, which may take days.' >&2
  fi

  policies=$(number "$(aws logs describe-resource-policies --query 'length(resourcePolicies)' --output text)")
  if [ "$policies" = unknown ]; then
    echo 'Warning: the number of resource policies of CloudWatch Logs is unknown.' >&2
  elif [ "$policies" -ge 10 ]; then
    echo "Warning: $AWS_REGION has $policies resource policies of CloudWatch Logs; AWS allows ten. If the deployment" \
      'fails with "Resource limit exceeded", delete those that nobody uses.' >&2
  fi
  return $result
}

# Says whether alarms arrive at alarmEmail.
check_mail() {
  local mail confirmed
  mail=$(in_template '[.Resources[] | select(.Type == "AWS::SNS::Subscription").Properties.Endpoint][0] // empty')
  [ -n "$mail" ] || return 0
  # An unconfirmed subscription has the text PendingConfirmation in place of an ARN.
  confirmed=$(aws sns list-subscriptions-by-topic --topic-arn "$(output AlarmTopicArn)" --output json |
    jq --arg mail "$mail" '[.Subscriptions[] | select(.Endpoint == $mail and (.SubscriptionArn | startswith("arn:")))] | length') ||
    confirmed=unknown
  case $confirmed in
    0) echo 'Warning: nobody has confirmed the mail to alarmEmail, so alarms do not arrive there.' >&2 ;;
    unknown) echo 'Warning: AWS did not say whether the mail to alarmEmail has been confirmed.' >&2 ;;
    *) echo 'The mail to alarmEmail is confirmed, so alarms arrive there.' ;;
  esac
}
