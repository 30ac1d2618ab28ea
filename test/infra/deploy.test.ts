import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

/** Programs that write down how they are called, in place of those that reach AWS. */
const programs = {
  aws: `case "$*" in
  *StackStatus*) grep -qE 'stop-deployment|cancel-update' calls && echo UPDATE_ROLLBACK_COMPLETE || echo UPDATE_IN_PROGRESS ;;
  *DeploymentGroup*) echo one two ;;
  *list-deployments*two*) echo $ROLLOUTS ;;
  *list-deployments*) ;;
  *get-deployment*d-2*) printf 'CloudFormation\\td-2\\n' ;;
  *get-deployment*) printf 'codeDeployRollback\\td-rollback\\n' ;;
  *) echo value ;;
esac`,
  curl: '',
  jq: 'echo a.token',
  sleep: '',
  // A smoke test beside the deployment begins when the deployment has.
  npm: `if [[ "$*" = *"--for 2m"* ]]; then
  until grep -q 'cdk begins' calls; do /bin/sleep 0.05; done
  exit $SMOKE
fi`,
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
    cpSync('infra/stop-deployment.sh', join(folder, 'infra/stop-deployment.sh'));
    for (const [name, code] of Object.entries(programs)) {
      const program = `#!/usr/bin/env bash\necho "${name} $*" >> calls\n${code}\n`;
      writeFileSync(join(folder, name), program, { mode: 0o755 });
    }
    const own = { TOKEN_ENDPOINT: '', CLIENT_ID: '', CLIENT_SECRET: '', SMOKE_TEST: 'beside' };
    const { status } = spawnSync('bash', [resolve('.github/deploy.sh')], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        AWS_REGION: 'eu-west-1',
        STAGE: 'prod',
        ...own,
        ...variables,
      },
    });
    return { status, calls: readFileSync(join(folder, 'calls'), 'utf8') };
  }

  it.each([
    ['d-2 d-rollback', 'stop-deployment --deployment-id d-2 --auto-rollback-enabled'],
    ['d-rollback', 'cancel-update-stack --stack-name RecruitmentService-prod'],
  ])('stops the deployment if the smoke test fails beside %s', (ROLLOUTS, stopped) => {
    const { status, calls } = deploy({ SMOKE: '1', SECONDS_TO_DEPLOY: '100', ROLLOUTS });
    expect(status).toBe(1);
    expect(calls.match(/cdk stopped|(stop-deployment|cancel-update-stack) .*/g)).toEqual([
      'cdk stopped',
      stopped,
    ]);
  });

  it('ends well if the deployment and the smoke test after it do', () => {
    const { status, calls } = deploy({ SMOKE: '0', SECONDS_TO_DEPLOY: '0.1' });
    expect(status).toBe(0);
    expect(calls.trim().split('\n').at(-1)).toMatch(/^npm run -s smoke .*--tenant default$/);
  });
});
