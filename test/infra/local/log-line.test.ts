import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { bundleFolder } from '../../../infra/bundle/bundles.ts';
import { readableLine } from '../../../infra/local/log-line.ts';
import { command } from '../../../infra/local/stack.ts';
import { runCommand } from '../../support/operator-command.ts';

const record = {
  timestamp: '2026-11-03T09:26:53.589Z',
  route: 'GET /v1/jobs/{id}/applications/{candidate_id}',
  job_id: "gh:$&$'",
  candidate_id: 'c-1001',
  tenant: 'acme',
  subject: 'recruiter-9',
  status: 200,
  outcome: 'ok',
  duration_ms: 12.345,
  cold_start: true,
  request_id: 'QzW5Lcq8Ur0S74K9',
};

const run = promisify(execFile);

/** The stack of a bundle that is started without the variables that it needs. */
async function stackOf(bundle: string): Promise<string[]> {
  const { stderr } = await run(process.execPath, [bundle], { env: {} }).catch((error) => error);
  return stderr.split('\n').filter((line: string) => line.startsWith('    at '));
}

describe('a line of the log, for a person', () => {
  it('says who asked for what, and what came of it', () => {
    expect(readableLine(JSON.stringify(record))).toMatch(
      /^\d\d:26:53 GET \/v1\/jobs\/gh:\$&\$'\/applications\/c-1001 200 ok, 12 ms, cold start, tenant acme, subject recruiter-9, request QzW5Lcq8Ur0S74K9$/,
    );
  });

  it.each(['output of a console.log', '{"half', '42', 'null', '{"route": 1}'])(
    'is unchanged if it is not the record of a request: %s',
    (line) => {
      expect(readableLine(line)).toBe(line);
    },
  );
});

describe.each(operationNames)('the source map of %s', (operation) => {
  const bundle = `${bundleFolder(operation)}/index.mjs`;

  it('leads the stack of a failure, and of its cause, back to the sources', async () => {
    const stack = await stackOf(bundle);
    const elsewhere = '    at file:///elsewhere/index.mjs:1:2';
    const cause = { name: 'TypeError', code: 'ECONNRESET', stack };
    const failure = { name: 'Error', detail: 'It failed.', stack: [...stack, elsewhere], cause };
    const text = readableLine(JSON.stringify({ ...record, failure }));
    expect(text).toContain('Error: It failed.');
    expect(text).toContain('TypeError ECONNRESET');
    expect(text.split(`functions/${operation}.ts:`)).toHaveLength(3);
    expect(text).toContain(elsewhere);
    expect(text).not.toContain(bundle);
  });

  it('leads a deployed stack back by npm run stack', async () => {
    const deployed = (await stackOf(bundle)).map((frame) =>
      frame.replace(pathToFileURL(bundleFolder(operation)).href, 'file:///var/task'),
    );
    const failure = { name: 'Error', stack: deployed };
    const line = { ...record, operation: operations[operation].operationId, failure };
    const { out } = await runCommand(command, [], {
      input: `2026-11-03T09:26:53 ${JSON.stringify(line)}\n`,
    });
    expect(out.split('\n')).toHaveLength(deployed.length + 3);
    expect(out).toContain(`functions/${operation}.ts:`);
    expect(out).not.toContain('/var/task');
  });
});
