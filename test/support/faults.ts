import type { ServerResponse } from 'node:http';

export const MEDIA_TYPE = 'application/x-amz-json-1.0';

/**
 * What happens to a request or its response between a client and the database. "Applied" means that the database has
 * done what the request asks.
 */
export type Fault =
  | 'none'
  /** Applied, but the connection breaks before the response. */
  | 'response lost'
  | 'reset'
  | 'hang'
  /** Byte by byte, too slowly for any client. */
  | 'dripping'
  /** Applied, but no response follows, and the connection stays open. */
  | 'too late'
  | 'no http'
  /** Half of the JSON, as a complete HTTP response. */
  | 'truncated'
  /** The connection breaks halfway through the response. */
  | 'cut off'
  /** The connection breaks at once, and the database gets the request after `lateAfter`. */
  | { lateAfter: () => Promise<unknown>; landed?: () => void }
  /** Applied at once; the response, or `doneBut` in its place, waits for `respondsAfter`. */
  | { respondsAfter?: () => Promise<unknown>; doneBut?: Answer }
  /** The client gets this response, and the request does not reach the database. */
  | Answer;

/** After this time, part of a dripping response has arrived. */
const SOME_MS = 450;

/** Milliseconds until the client can only wait for its own time limit. Undefined if the fault ends by itself. */
export function endlessAfter(fault: Fault): number | undefined {
  if (fault === 'hang' || fault === 'too late') return 0;
  return fault === 'dripping' ? SOME_MS : undefined;
}

export const dynamoError = (status: number, name: string, message = 'Invented.') => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }),
});

/** DynamoDB did not apply the transaction, and gives a reason for each action. */
export const cancelled = (...codes: string[]) =>
  cancelledFor(...codes.map((Code) => ({ Code, Message: 'Invented.' })));

export const cancelledFor = (...CancellationReasons: object[]) => ({
  status: 400,
  body: JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    Message: 'Transaction cancelled',
    CancellationReasons,
  }),
});

export interface Answer {
  status: number;
  body: string;
}

export async function meet(
  fault: Fault,
  response: ServerResponse,
  forward: () => Promise<Answer>,
): Promise<void> {
  if (fault === 'hang') return;
  if (fault === 'no http') return void response.socket?.end('not HTTP\r\n\r\n');
  if (fault === 'reset') return void response.destroy();
  const isObject = typeof fault === 'object';
  if (isObject && 'status' in fault) return send(response, fault);
  if (isObject && 'lateAfter' in fault) {
    response.destroy();
    await fault.lateAfter();
    await forward();
    return fault.landed?.();
  }
  const answer = await forward();
  if (isObject) {
    await fault.respondsAfter?.();
    return send(response, fault.doneBut ?? answer);
  }
  if (fault === 'too late') return;
  if (fault === 'response lost') return void response.destroy();
  if (fault === 'none') return send(response, answer);
  const { status, body } = answer;
  const half = body.slice(0, body.length / 2);
  if (fault === 'truncated') return send(response, { status, body: half });
  response.writeHead(status, { 'content-length': Buffer.byteLength(body) });
  if (fault === 'cut off') response.write(half, () => response.destroy());
  else drip(response, body);
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': MEDIA_TYPE });
  response.end(body);
}

function drip(response: ServerResponse, body: string): void {
  let at = 0;
  const timer = setInterval(() => response.write(body.charAt(at++)), 200);
  response.once('close', () => clearInterval(timer));
}
