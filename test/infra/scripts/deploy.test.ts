import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const programs = {
  aws: `case "$*" in
  *stop-deployment*|*cancel-update*) touch stopped ;;
  *StackStatus*)
    if [ -n "$NEW" ]; then echo REVIEW_IN_PROGRESS
    elif [ -e rolled-back ]; then echo UPDATE_ROLLBACK_COMPLETE
    elif [ -e stopped ]; then touch rolled-back && echo UPDATE_ROLLBACK_IN_PROGRESS
    elif [ "$(grep -c StackStatus calls)" -le "$BEGINS_AFTER" ]; then echo UPDATE_COMPLETE
    else echo $STATUS; fi ;;
  *Lambda::Function*|*DeploymentGroup*) printf 'one\\ttwo\\n' ;;
  *Lambda::Version*) printf 'arn:one:7\\tarn:two:%s\\n' "$DEPLOYED" ;;
  *get-alias*two*) echo 8 ;;
  *get-alias*) echo 7 ;;
  # Deployments that have ended cannot be stopped.
  *list-deployments*two*\\ Created\\ Queued\\ InProgress*) echo $ROLLOUTS; [ "$ROLLOUTS" != unknown ] ;;
  *list-deployments*) ;;
  *get-deployment*d-2*) printf 'CloudFormation\\td-2\\n' ;;
  *get-deployment*) printf 'codeDeployRollback\\td-rollback\\n' ;;
  *get-parameters*) echo None ;;
  *) echo value ;;
esac`,
  // By default, the second token request fails, which is for the first smoke test during the deployment.
  curl: `case "$*" in
  *openid-configuration) printf '{}\\n%s' "$HTTP_STATUS"; exit "$CURL_CODE" ;;
  *) ! grep -c ^curl calls | grep -qxE "$WITHOUT_TOKEN" && ! grep -q "$NO_TOKEN_AFTER" calls ;;
esac`,
  jq: `case "$*" in
  *Variables.ISSUER*) echo "$ISSUER" ;;
  *Variables.JWKS_URI*) echo "$JWKS_URI" ;;
  *.issuer*) echo "$NAMED" ;;
  *requiresBootstrapStackVersion*) echo 6 ;;
  *) echo a.token ;;
esac`,
  sleep: "until grep -q 'cdk begins' calls; do /bin/sleep 0.05; done",
  npm: `case "$*" in
  *--for\\ 2m*)
    sleep 0
    touch beside
    while [ "$NO_TOKEN_AFTER" = 'cdk ends' ] && kill -0 "$(cat cdk)"; do /bin/sleep 0.05; done
    exit $BESIDE ;;
  *--for*) exit $BEFORE ;;
  *) exit $AFTER ;;
esac`,
  'node_modules/.bin/cdk': `trap 'kill $!; echo "cdk stopped" >> calls; exit 1' TERM
/bin/sleep $SECONDS_TO_DEPLOY &
echo $$ > cdk
echo "cdk begins" >> calls
wait
# With "cdk ends", the deployment ends after a smoke test beside it has its token.
while [ "$NO_TOKEN_AFTER" = 'cdk ends' ] && [ ! -e beside ]; do /bin/sleep 0.05; done
echo "cdk ends" >> calls`,
};

function run(script: string, args: string[], variables: Record<string, string>, earlierCalls = '') {
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(folder, 'calls'), earlierCalls);
  for (const each of ['stop-deployment', 'shell', 'account'])
    cpSync(`infra/scripts/${each}.sh`, join(folder, `infra/scripts/${each}.sh`));
  for (const [name, code] of Object.entries(programs)) {
    const program = `#!/usr/bin/env bash\necho "${name} $*" >> calls\n${code}\n`;
    writeFileSync(join(folder, name), program, { mode: 0o755 });
  }
  const own = { TOKEN_ENDPOINT: '', CLIENT_ID: '', CLIENT_SECRET: '', SMOKE_TEST: 'beside' };
  const usual = { STATUS: 'UPDATE_IN_PROGRESS', BEGINS_AFTER: '0', NO_TOKEN_AFTER: 'nothing' };
  const issuer = {
    ISSUER: '',
    JWKS_URI: '',
    NAMED: '',
    HTTP_STATUS: '200',
    CURL_CODE: '0',
    NEW: '',
  };
  const codes = { WITHOUT_TOKEN: '2', BEFORE: '0', BESIDE: '0', AFTER: '0', DEPLOYED: '8' };
  const { status, stdout, stderr } = spawnSync('bash', [resolve(script), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      AWS_REGION: 'eu-west-1',
      STAGE: 'prod',
      ...own,
      ...usual,
      ...issuer,
      ...codes,
      ...variables,
    },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8');
  const changes = /cdk (?:begins|stopped)|(?:stop-deployment|cancel-update-stack|update-alias) .*/g;
  return { status, stdout, stderr, calls, changes: calls.match(changes) ?? [] };
}

const stop = 'stop-deployment --deployment-id d-2 --auto-rollback-enabled';

describe('infra/scripts/deploy.sh', () => {
  const deploy = (variables: Record<string, string>) =>
    run('infra/scripts/deploy.sh', [], variables);
  const stopped = ['cdk begins', 'cdk stopped', stop];
  const cancelled = [
    ...['cdk begins', 'cdk stopped', 'cancel-update-stack --stack-name RecruitmentService-prod'],
  ];
  const back = [
    'update-alias --function-name one --name live --function-version 7 --routing-config AdditionalVersionWeights={}',
    'update-alias --function-name two --name live --function-version 8 --routing-config AdditionalVersionWeights={}',
  ];

  it.each([
    [{ ROLLOUTS: 'd-2 d-rollback' }, stopped],
    // The CDK's last update begins only after the first attempt to stop it.
    [{ ROLLOUTS: 'd-2', BEGINS_AFTER: '1' }, stopped],
    [{ ROLLOUTS: 'd-rollback' }, cancelled],
    [{ ROLLOUTS: 'd-2', BESIDE: '0', WITHOUT_TOKEN: '2|3' }, stopped],
    [{ ROLLOUTS: 'unknown' }, ['cdk begins', 'cdk stopped', ...back]],
    [{ STATUS: 'UPDATE_COMPLETE' }, ['cdk begins', 'cdk stopped', ...back]],
    [{ STATUS: 'UPDATE_ROLLBACK_COMPLETE' }, ['cdk begins', 'cdk stopped', ...back]],
    [{ BESIDE: '0', SECONDS_TO_DEPLOY: '0.1', AFTER: '1' }, ['cdk begins', ...back]],
    [{ BEFORE: '1' }, []],
  ])('stops the deployment or goes back if the smoke test fails: %j', (variables, ends) => {
    const usual = { BESIDE: '1', SECONDS_TO_DEPLOY: '100' };
    const { status, changes } = deploy({ ...usual, ...variables });
    expect(status).toBe(1);
    expect(changes).toEqual(ends);
  });

  it.each([
    ['only the token endpoint fails', { NO_TOKEN_AFTER: 'cdk ends', WITHOUT_TOKEN: 'none' }, 3],
    ['the command line is invalid', { AFTER: '2' }, 2],
  ])('fails, and leaves the new version its traffic, if at the end %s', (_, variables, code) => {
    const { status, changes } = deploy({ ...variables, SECONDS_TO_DEPLOY: '0.1' });
    expect(status).toBe(code);
    expect(changes).toEqual(['cdk begins']);
  });

  it.each([
    ['0', '', ''],
    ['2', 's3://f', ' --file s3://f'],
  ])('ends well if the deployment and its smoke tests do: %s %s', (BESIDE, SMOKE_FILE, file) => {
    const { status, calls } = deploy({ BESIDE, SMOKE_FILE, SECONDS_TO_DEPLOY: '0.1' });
    expect(status).toBe(0);
    expect(calls).toMatch(new RegExp(`\nnpm run -s smoke .* --tenant default${file}\n$`));
  });

  const document = 'https://a.example.com/.well-known/openid-configuration';

  it.each([
    ['names another', { NAMED: 'https://a.example.com/' }, 1, 'Nothing was deployed: ', document],
    ['names none', { NAMED: 'no issuer' }, 1, 'Nothing was deployed: .* names no issuer', document],
    ['names it', { NAMED: 'https://a.example.com' }, 0, '', document],
    [
      'is elsewhere',
      { NAMED: 'no issuer', HTTP_STATUS: '302' },
      1,
      'Nothing .* no issuer',
      document,
    ],
    [
      'does not exist',
      { CURL_CODE: '22', HTTP_STATUS: '404' },
      1,
      'Nothing .* it does not exist',
      document,
    ],
    ['has no host', { CURL_CODE: '6', HTTP_STATUS: '000' }, 1, 'Nothing .* not exist', document],
    [
      'is not available',
      { CURL_CODE: '22', HTTP_STATUS: '503' },
      0,
      'Warning: without the discovery',
      document,
    ],
    ['does not respond', { CURL_CODE: '28', HTTP_STATUS: '000' }, 0, 'Warning: without', document],
    ['is not needed', { NAMED: 'x', JWKS_URI: 'https://a.example.com/keys' }, 0, '', ''],
  ])(
    'deploys nothing if the discovery document shows that no token can be accepted: it %s',
    (_, found, code, message, requested) => {
      const usual = { SMOKE_TEST: 'none', SECONDS_TO_DEPLOY: '0.1', WITHOUT_TOKEN: 'none' };
      const deployed = deploy({ ...usual, ISSUER: 'https://a.example.com', ...found });
      const { status, changes, calls, stderr } = deployed;
      expect([status, changes]).toEqual([code, code === 0 ? ['cdk begins'] : []]);
      expect(stderr).toMatch(new RegExp(`^${message}`));
      expect(/^curl .* (\S+)$/m.exec(calls)?.[1] ?? '').toBe(requested);
    },
  );

  it.each(['beside', 'after'])(
    'deploys nothing new to an account that lacks something: %s',
    (SMOKE_TEST) => {
      const { status, changes, stderr } = deploy({ NEW: 'yes', SMOKE_TEST });
      expect([status, changes]).toEqual([1, []]);
      expect(stderr).toContain('Run npx cdk bootstrap.');
    },
  );

  it.each(['beside', 'after'])('says whether alarms arrive: %s', (SMOKE_TEST) => {
    const { stdout, stderr } = deploy({ SMOKE_TEST, SECONDS_TO_DEPLOY: '0.1' });
    expect(stdout + stderr).toContain('the mail to alarmEmail');
  });

  it.each(['beside', 'after', 'none'])(
    'moves an alias that CloudFormation has left behind, with the smoke test "%s"',
    (when) => {
      const variables = { SMOKE_TEST: when, DEPLOYED: '9', SECONDS_TO_DEPLOY: '0.1' };
      const { status, changes } = deploy(variables);
      const forward =
        'update-alias --function-name arn:two --name live --function-version 9 --routing-config AdditionalVersionWeights={}';
      expect([status, changes]).toEqual([0, ['cdk begins', forward]]);
    },
  );

  it.each([
    ['after', 'cdk begins', 1],
    ['none', 'cdk begins', 0],
  ])('runs no smoke test beside the deployment if it is told "%s"', (when, begins, smokeTests) => {
    const { status, calls, changes } = deploy({ SMOKE_TEST: when, SECONDS_TO_DEPLOY: '0.1' });
    expect([status, changes]).toEqual([0, [begins]]);
    expect(calls.match(/^npm .*/gm) ?? []).toHaveLength(smokeTests);
  });
});

describe('infra/scripts/stop-deployment.sh', () => {
  const nothing = 'No update is in progress, so nothing was stopped.';

  it.each([
    ['UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE', 0, [stop]],
    ['UPDATE_COMPLETE', `UPDATE_COMPLETE. ${nothing}`, 1, []],
    // An earlier update left this status; nothing is under way that could be stopped.
    ['UPDATE_ROLLBACK_COMPLETE', `UPDATE_ROLLBACK_COMPLETE. ${nothing}`, 1, []],
  ])('from %s, it ends when the stack has settled, as %s', (STATUS, last, code, expected) => {
    const args = ['RecruitmentService-prod'];
    const variables = { STATUS, ROLLOUTS: 'd-2' };
    // The stand-in for `sleep` waits for `cdk begins` in `calls`.
    const { status, stdout, changes } = run(
      'infra/scripts/stop-deployment.sh',
      args,
      variables,
      'cdk begins\n',
    );
    expect([status, stdout]).toEqual([code, `RecruitmentService-prod: ${last}\n`]);
    expect(changes).toEqual(['cdk begins', ...expected]);
  });
});
