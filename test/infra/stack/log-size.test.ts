import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../../functions/operations/operations.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { startService } from '../../support/service.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

/** The maximum bytes of log for a request, because CloudWatch bills bytes. It allows for ids of 36 characters. */
const CEILING = 900;
const id = () => crypto.randomUUID();

/** Returns a request's line in the access log. Each variable except the route has ten characters. */
function accessLogLine(operation: OperationName): string {
  const [stage] = propertiesOf(templateOf({ stage: 'prod' }), 'AWS::ApiGatewayV2::Stage');
  const { Format: format }: { Format: string } = Object(stage?.AccessLogSettings);
  const { method, path } = operations[operation];
  return format
    .replace('$context.routeKey', `${method} ${path}`)
    .replaceAll(/\$context\.[\w.]+/g, '0123456789');
}

describe('the logs of a successful request', async () => {
  const service = await startService();

  it.each([
    ['get-application', 'getApplication'],
    ['update-job-status', 'updateJobStatus'],
  ] as const)('stay below the maximum for %s', async (operation, call) => {
    const [job, candidate] = [id(), id()];
    await service.table.put(applicationItem({ job, candidate }));
    await service.table.put(jobItem({ job }));
    const token = await service.issuer.mint({ sub: id(), client_id: id() });
    const { status } = await service[call]({
      token,
      pathParameters: { id: job, ...(call === 'getApplication' && { candidate_id: candidate }) },
      requestId: 'ClcJhcAM4uuMCRT1',
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    });
    expect(status).toBe(200);
    const lines = `${service.log.text}${accessLogLine(operation)}\n`;
    expect(Buffer.byteLength(lines)).toBeLessThanOrEqual(CEILING);
  });
});
