import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type OperationName, operations } from '../../../functions/contract/operations.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';
import { bundleOf, driver } from '../contenders.ts';
import { eventFor, variablesOf } from '../lambda.ts';
import type { Stub } from '../stub/start.ts';
import { startProcess } from './contender-process.ts';

/** What a request moves beside its work, in bytes. */
export interface Traffic {
  /** Its line in the function's log. */
  logBytes: number;
  /** Its line in the access log of the API. */
  accessLogBytes: number;
  /** The answer: status line, headers and body. */
  answerBytes: number;
}

/** Measures one successful request of an operation. */
export async function measureTraffic(operation: OperationName, stub: Stub): Promise<Traffic> {
  return {
    logBytes: Buffer.byteLength(await logLine(operation, stub)),
    accessLogBytes: Buffer.byteLength(accessLogLine(operation)),
    answerBytes: await answerBytes(operation, stub),
  };
}

const UUID = '0d9b3f1e-6c52-4d2a-9f0b-7a3c5e8d1f24';
/** Ids as real ones are; those of the benchmark are short. */
const IDS = {
  request_id: 'ClcJhcAM4uuMCRT1',
  job_id: UUID,
  candidate_id: UUID,
  tenant: UUID,
  subject: UUID,
};

async function logLine(operation: OperationName, stub: Stub): Promise<string> {
  const event = JSON.stringify(eventFor(operation, stub.tokens.valid));
  const child = spawn(process.execPath, [driver('cold'), bundleOf('ours', operation), event], {
    env: variablesOf(operation, stub),
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  child.stdio[3]?.on('data', () => undefined);
  const [log] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'close')]);
  const lines = log.split('\n').filter((line) => line !== '');
  const [line, ...others] = lines;
  if (line === undefined || others.length > 0) {
    throw new Error(`${operation} wrote ${lines.length} lines to its log, and not one.`);
  }
  const record: Record<string, unknown> = JSON.parse(line);
  const present = Object.entries(IDS).filter(([name]) => Object.hasOwn(record, name));
  return `${JSON.stringify({ ...record, ...Object.fromEntries(present) })}\n`;
}

/** What API Gateway writes for its variables, in length. */
const VARIABLES: Readonly<Record<string, string>> = {
  requestId: IDS.request_id,
  requestTimeEpoch: '1767225600000',
  status: '200',
  protocol: 'HTTP/1.1',
  responseLength: '3210',
  responseLatency: '12',
  integrationLatency: '10',
  integrationStatus: '200',
  'error.responseType': '-',
  'identity.sourceIp': '203.0.113.195',
};

/**
 * A request's line in the access log, whose format is that of the synthesized stage.
 * @throws Error where a variable of the format has no length here.
 */
export function accessLogLine(operation: OperationName): string {
  const [stage] = propertiesOf(templateOf({ stage: 'prod' }), 'AWS::ApiGatewayV2::Stage');
  const { Format: format } = Object(stage?.AccessLogSettings) as { Format: string };
  const { method, path } = operations[operation];
  const variables = { ...VARIABLES, routeKey: `${method} ${path}` };
  const line = format.replace(/\$context\.([\w.]+)/g, (variable, name: string) => {
    const value = (variables as Record<string, string>)[name];
    if (value === undefined) throw new Error(`How long is ${variable}? Say so in traffic.ts.`);
    return value;
  });
  return `${line}\n`;
}

async function answerBytes(operation: OperationName, stub: Stub): Promise<number> {
  const subject = await startProcess(bundleOf('ours', operation), variablesOf(operation, stub));
  const events = [eventFor(operation, stub.tokens.valid)];
  const { replies } = await subject.succeed({ events, times: 1 });
  await subject.stop();
  const [{ headers, body } = { headers: {}, body: '' }] = replies;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.byteLength(`HTTP/1.1 200 OK\r\n${head.join('')}\r\n${body}`);
}
