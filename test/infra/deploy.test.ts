import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

/** Programs that write down how they are called, in place of those that reach AWS. */
const programs = {
  aws: `case "$*" in
  *StackStatus*) grep -qE 'stop-deployment|cancel-update' calls && echo UPDATE_ROLLBACK_COMPLETE || echo $STATUS ;;
  *Lambda::Function*|*DeploymentGroup*) printf 'one\\ttwo\\n' ;;
  *get-alias*two*) echo 8 ;;
  *get-alias*) echo 7 ;;
  *list-deployments*two*) echo $ROLLOUTS; [ "$ROLLOUTS" != unknown ] ;;
  *list-deployments*) ;;
  *get-deployment*d-2*) printf 'CloudFormation\\td-2\\n' ;;
  *get-deployment*) printf 'codeDeployRollback\\td-rollback\\n' ;;
  *) echo value ;;
esac`,
  // The one for the first smoke test beside the deployment is the second.
  curl: '! grep -c ^curl calls | grep -qxE "$WITHOUT_TOKEN"',
  jq: 'echo a.token',
  // Nobody waits before the deployment has begun.
  sleep: "until grep -q 'cdk begins' calls; do /bin/sleep 0.05; done",
  npm: `case "$*" in
  *--for\\ 2m*) sleep 0; exit $BESIDE ;;
  *--for*) ;;
  *) exit $AFTER ;;
esac`,
  'node_modules/.bin/cdk': `trap 'kill $!; echo "cdk stopped" >> calls; exit 1' TERM
/bin/sleep $SECONDS_TO_DEPLOY &
echo "cdk begins" >> calls
wait`,
};

describe('.github/deploy.sh', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function deploy(variables: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), 'recruitment-deploy-'));
    folders.push(folder);
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    for (const script of ['infra/stop-deployment.sh', 'docs/shell.sh']) {
      cpSync(script, join(folder, script));
    }
    for (const [name, code] of Object.entries(programs)) {
      const program = `#!/usr/bin/env bash\necho "${name} $*" >> calls\n${code}\n`;
      writeFileSync(join(folder, name), program, { mode: 0o755 });
    }
    const own = { TOKEN_ENDPOINT: '', CLIENT_ID: '', CLIENT_SECRET: '', SMOKE_TEST: 'beside' };
    const usual = { STATUS: 'UPDATE_IN_PROGRESS', WITHOUT_TOKEN: '2', AFTER: '0' };
    const { status } = spawnSync('bash', [resolve('.github/deploy.sh')], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        AWS_REGION: 'eu-west-1',
        STAGE: 'prod',
        ...own,
        ...usual,
        ...variables,
      },
    });
    return { status, calls: readFileSync(join(folder, 'calls'), 'utf8') };
  }

  const stopped = ['cdk stopped', 'stop-deployment --deployment-id d-2 --auto-rollback-enabled'];
  const cancelled = ['cdk stopped', 'cancel-update-stack --stack-name RecruitmentService-prod'];
  const back = [
    'update-alias --function-name one --name live --function-version 7 --routing-config AdditionalVersionWeights={}',
    'update-alias --function-name two --name live --function-version 8 --routing-config AdditionalVersionWeights={}',
  ];

  it.each([
    [{ ROLLOUTS: 'd-2 d-rollback' }, stopped],
    [{ ROLLOUTS: 'd-rollback' }, cancelled],
    [{ ROLLOUTS: 'd-2', BESIDE: '0', WITHOUT_TOKEN: '2|3' }, stopped],
    [{ ROLLOUTS: 'unknown' }, ['cdk stopped', ...back]],
    [{ STATUS: 'UPDATE_COMPLETE' }, ['cdk stopped', ...back]],
    [{ BESIDE: '0', SECONDS_TO_DEPLOY: '0.1', AFTER: '1' }, back],
  ])('stops the deployment or goes back if the smoke test fails: %j', (variables, ends) => {
    const { status, calls } = deploy({ BESIDE: '1', SECONDS_TO_DEPLOY: '100', ...variables });
    expect(status).toBe(1);
    const changes = /cdk stopped|(stop-deployment|cancel-update-stack|update-alias) .*/g;
    expect(calls.match(changes)).toEqual(ends);
  });

  it.each([
    ['0', '', ''],
    ['2', 's3://f', ' --file s3://f'],
  ])('ends well if the deployment and its smoke tests do: %s %s', (BESIDE, SMOKE_FILE, file) => {
    const { status, calls } = deploy({ BESIDE, SMOKE_FILE, SECONDS_TO_DEPLOY: '0.1' });
    expect(status).toBe(0);
    expect(calls).toMatch(new RegExp(`\nnpm run -s smoke .* --tenant default${file}\n$`));
  });
});
