import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../../functions/contract/operations.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

/** In bytes, because CloudWatch bills each: about as many as identifiers of 36 characters need. */
const CEILING = 900;
const id = () => crypto.randomUUID();

/** What API Gateway writes for the variables of the access log's format, in length. */
const EXAMPLES: Readonly<Record<string, string>> = {
  requestId: 'ClcJhcAM4uuMCRT1',
  requestTimeEpoch: '1767225600000',
  status: '200',
  responseLength: '3210',
  responseLatency: '12',
  integrationLatency: '10',
  integrationStatus: '200',
  'error.responseType': '-',
  'identity.sourceIp': '203.0.113.195',
};

/**
 * A request's line in the access log of the synthesized stack.
 * @throws Error if a variable of its format has no example here.
 */
function accessLogLine(operation: OperationName): string {
  const [stage] = propertiesOf(templateOf({ stage: 'prod' }), 'AWS::ApiGatewayV2::Stage');
  const { Format: format }: { Format: string } = Object(stage?.AccessLogSettings);
  const { method, path } = operations[operation];
  const examples: typeof EXAMPLES = { ...EXAMPLES, routeKey: `${method} ${path}` };
  return format.replace(/\$context\.([\w.]+)/g, (variable, name: string) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`There is no example of ${variable}.`);
    return example;
  });
}

describe('what a request that succeeds writes to the logs', () => {
  const service = useService();

  it.each([
    ['get-application', 'getApplication'],
    ['update-job-status', 'updateJobStatus'],
  ] as const)('stays below its ceiling for %s', async (operation, call) => {
    const [job, candidate] = [id(), id()];
    await service.table.put(applicationItem({ job, candidate }));
    await service.table.put(jobItem({ job }));
    const token = await service.issuer.mint({ sub: id(), client_id: id() });
    const { status } = await service[call]({
      token,
      pathParameters: { id: job, ...(call === 'getApplication' && { candidate_id: candidate }) },
      requestId: 'ClcJhcAM4uuMCRT1',
    });
    expect(status).toBe(200);
    const lines = `${service.log.text}${accessLogLine(operation)}\n`;
    expect(Buffer.byteLength(lines)).toBeLessThanOrEqual(CEILING);
  });
});
