import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

/** Programs that write down how they are called, in place of those that reach AWS. */
const programs = {
  // An update ends when it is stopped or canceled; CodeDeploy then has a rollback of its own.
  aws: `case "$*" in
  *StackStatus*) grep -qE 'stop-deployment|cancel-update' calls && echo UPDATE_ROLLBACK_COMPLETE || echo "$STATUS" ;;
  *DeploymentGroup*) echo one two ;;
  *list-deployments*two*) echo $ROLLOUTS ;;
  *list-deployments*) ;;
  *get-deployment*d-2*) printf 'CloudFormation\\td-2\\n' ;;
  *get-deployment*) printf 'codeDeployRollback\\td-rollback\\n' ;;
  *) echo value ;;
esac`,
  curl: `echo '{"access_token": "a.token"}'`,
  // The first smoke test is that before the deployment.
  npm: `[[ "$*" != *"--for 2m"* ]] || { wait; exit "$SMOKE"; }`,
  sleep: '',
  'node_modules/.bin/cdk': 'exec /bin/sleep "$DEPLOYS_FOR"',
};

describe('.github/deploy.sh', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function deploy(variables: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), 'recruitment-deploy-'));
    folders.push(folder);
    for (const name of ['node_modules/.bin', 'infra'])
      mkdirSync(join(folder, name), { recursive: true });
    for (const [name, code] of Object.entries(programs)) {
      writeFileSync(
        join(folder, name),
        `#!/usr/bin/env bash\necho "${name} $*" >> calls\n${code}\n`,
      );
      chmodSync(join(folder, name), 0o755);
    }
    writeFileSync(
      join(folder, 'infra/stop-deployment.sh'),
      readFileSync('infra/stop-deployment.sh', 'utf8'),
    );
    const { status } = spawnSync('bash', [resolve('.github/deploy.sh')], {
      cwd: folder,
      env: {
        ...{ PATH: `${folder}:${process.env.PATH}`, STAGE: 'prod', AWS_REGION: 'eu-west-1' },
        ...{ TOKEN_ENDPOINT: '', CLIENT_ID: '', CLIENT_SECRET: '', SMOKE_TEST: 'beside' },
        ...{
          SMOKE: '0',
          DEPLOYS_FOR: '100',
          STATUS: 'UPDATE_IN_PROGRESS',
          ROLLOUTS: '',
          ...variables,
        },
      },
    });
    return { status, calls: readFileSync(join(folder, 'calls'), 'utf8') };
  }

  it.each([
    ['d-2 d-rollback', 'stop-deployment --deployment-id d-2 --auto-rollback-enabled'],
    ['d-rollback', 'cancel-update-stack --stack-name RecruitmentService-prod'],
  ])('stops the deployment if the smoke test fails beside %s', (ROLLOUTS, stopped) => {
    const { status, calls } = deploy({ SMOKE: '1', ROLLOUTS });
    expect(status).toBe(1);
    expect(calls.match(/(stop-deployment|cancel-update-stack) .*/g)).toEqual([stopped]);
  });

  it('ends well if the deployment and the smoke test after it do', () => {
    const { status, calls } = deploy({ DEPLOYS_FOR: '0.1' });
    expect(status).toBe(0);
    expect(calls.trim().split('\n').at(-1)).toMatch(/^npm run -s smoke -- --base-url value/);
  });
});
