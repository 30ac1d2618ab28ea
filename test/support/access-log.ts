import { type OperationName, operations } from '../../functions/contract/operations.ts';
import { propertiesOf, templateOf } from './stack.ts';

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
export function accessLogLine(operation: OperationName): string {
  const [stage] = propertiesOf(templateOf({ stage: 'prod' }), 'AWS::ApiGatewayV2::Stage');
  const { Format: format }: { Format: string } = Object(stage?.AccessLogSettings);
  const { method, path } = operations[operation];
  const examples: typeof EXAMPLES = { ...EXAMPLES, routeKey: `${method} ${path}` };
  return format.replace(/\$context\.([\w.]+)/g, (variable, name: string) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`access-log.ts has no example of ${variable}.`);
    return example;
  });
}
