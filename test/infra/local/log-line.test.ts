import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { readableLine } from '../../../infra/local/log-line.ts';
import { command } from '../../../infra/local/read-logs.ts';
import { bundleFolder } from '../../../infra/stack/bundle/bundles.ts';
import { runCommand } from '../../support/operator-command.ts';

const record = {
  operation: 'getApplication',
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

/** Runs the bundle without its variables, so that it fails with a stack trace. */
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

  it('leads a deployed stack back by npm run read-logs', async () => {
    const deployed = (await stackOf(bundle)).map((frame) =>
      frame.replace(pathToFileURL(bundleFolder(operation)).href, 'file:///var/task'),
    );
    const cause = { name: 'TypeError', code: 'ECONNRESET', stack: deployed };
    const failure = { name: 'Error', detail: 'It failed.', stack: deployed, cause };
    const line = { ...record, operation: operations[operation].operationId, failure };
    const { out } = await runCommand(command, [], {
      input: `2026-11-03T09:26:53 ${JSON.stringify(line)}\n`,
    });
    for (const text of ['Error: It failed.', 'TypeError ECONNRESET']) expect(out).toContain(text);
    expect(out.split(`functions/${operation}.ts:`)).toHaveLength(3);
    expect(out).not.toContain('/var/task');
  });
});
