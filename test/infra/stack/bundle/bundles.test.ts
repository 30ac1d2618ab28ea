import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../../../functions/operations/operations.ts';
import { bundling } from '../../../../infra/stack/bundle/bundles.ts';
import { requestAbout } from '../../../support/contract.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import type { Handler } from '../../../support/invoke.ts';
import { applicationItem, jobItem } from '../../../support/items.ts';
import { functionsOf, startProxiedService, variablesOf } from '../../../support/service.ts';

/** Only a sample: other suites test the sources with all faults. All of a call's attempts meet the same fault. */
const faults: [string, Fault, attempts: number][] = [
  ['works', 'none', 1],
  ['fails', dynamoError(500, 'InternalServerError'), 3],
  ['throttles', dynamoError(400, 'ThrottlingException'), 3],
  ['breaks the connection', 'reset', 3],
  ['has no such table', dynamoError(400, 'ResourceNotFoundException'), 1],
  ['sends a web page', { status: 200, body: '<html>Invented.</html>' }, 3],
];

describe('the bundles, in which modules are replaced, behave like the sources if the database', async () => {
  const service = await startProxiedService();
  const bundles = await functionsOf(service, bundled);

  async function bundled(name: OperationName): Promise<Handler> {
    const { outputFiles } = await build({
      ...bundling,
      stdin: {
        contents: `
          import * as operation from './functions/operations/${name}/handler.ts';
          import { start } from './functions/start/start.ts';
          export const startWith = (options) => start(operation, options);`,
        resolveDir: bundling.absWorkingDir,
      },
      write: false,
    });
    const module = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64');
    const { startWith } = await import(`data:text/javascript;base64,${module}`);
    return startWith({ ...service.options, variables: variablesOf(service, {}) });
  }

  it.concurrent.each(faults)('%s', async (_, fault, attempts) => {
    for (const name of operationNames) {
      const outcomes = [service, bundles].map(async (functions, at) => {
        const id = `${crypto.randomUUID()}-${at}.`;
        await service.table.put(applicationItem({ job: id }));
        await service.table.put(jobItem({ job: id }));
        service.proxy.faultsFor.set(id, Array(5).fill(fault));
        const { operationId } = operations[name];
        const request = requestAbout(id, operations[name]);
        const { status, body, headers } = await functions[operationId](request);
        const { request_id: _, id: __, ...members } = body;
        const sent = service.proxy.requestsFor(`#JOB#${id}"`).length;
        return { status, members, version: headers.ETag, sent };
      });
      const [source, bundle] = await Promise.all(outcomes);
      expect(bundle).toEqual(source);
      expect(bundle?.sent).toBe(attempts);
    }
  });
});
