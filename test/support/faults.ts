import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

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
  /** Half of the response, then silence. */
  | 'stalled'
  /** Byte by byte, too slowly for any client. */
  | 'dripping'
  /** Applied, but no response follows, and the connection stays open. */
  | 'too late'
  | 'no http'
  /** Half of the JSON, as a complete HTTP response. */
  | 'truncated'
  /** The connection breaks halfway through the response. */
  | 'cut off'
  /** Applied; `lostAfter` runs before the connection breaks. */
  | { lostAfter: () => Promise<void> }
  /** The connection breaks at once, and the database gets the request after `lateAfter`. */
  | { lateAfter: () => Promise<unknown>; landed?: () => void }
  /** Applied at once; the response comes after `delayedBy` milliseconds. */
  | { delayedBy: number }
  /** Applied at once; the response waits for `respondsAfter`. */
  | { respondsAfter: () => Promise<unknown> }
  | { doneBut: { status: number; body: string } }
  /** The second half of the response is replaced by other bytes. */
  | 'garbled'
  /** The client gets this response once `before` has ended. The request does not reach the database. */
  | { status: number; body: string; before?: () => Promise<unknown> };

/** After this time, part of a stalled or dripping response has arrived. */
const SOME_MS = 450;

/**
 * After how many milliseconds the client can only wait for its own time limit. Undefined if the fault ends by itself.
 */
export function endlessAfter(fault: Fault): number | undefined {
  if (fault === 'hang' || fault === 'too late') return 0;
  return fault === 'stalled' || fault === 'dripping' ? SOME_MS : undefined;
}

export const dynamoError = (status: number, name: string, message = 'Invented.') => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }),
});

/** A transaction that DynamoDB has not applied, with a reason for each action. */
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

export interface Forwarded {
  status: number;
  body: string;
}

type Forward = () => Promise<Forwarded>;

/** `forward` sends the request on to the database. */
export async function meet(
  fault: Fault,
  response: ServerResponse,
  forward: Forward,
): Promise<void> {
  if (typeof fault === 'object') return meetParticular(fault, response, forward);
  if (fault === 'hang') return;
  if (fault === 'no http') return void response.socket?.end('not HTTP\r\n\r\n');
  if (fault === 'reset') return void response.destroy();
  const forwarded = await forward();
  if (fault === 'too late') return;
  if (fault === 'response lost') response.destroy();
  else spoil(response, forwarded, fault);
}

async function meetParticular(
  fault: Extract<Fault, object>,
  response: ServerResponse,
  forward: Forward,
): Promise<void> {
  if ('lostAfter' in fault) {
    await forward();
    await fault.lostAfter();
    response.destroy();
  } else if ('lateAfter' in fault) {
    response.destroy();
    await fault.lateAfter();
    await forward();
    fault.landed?.();
  } else if ('delayedBy' in fault) {
    const forwarded = await forward();
    await setTimeout(fault.delayedBy);
    send(response, forwarded);
  } else if ('respondsAfter' in fault) {
    const forwarded = await forward();
    await fault.respondsAfter();
    send(response, forwarded);
  } else if ('doneBut' in fault) {
    await forward();
    send(response, fault.doneBut);
  } else {
    await fault.before?.();
    send(response, fault);
  }
}

function send(response: ServerResponse, { status, body }: Forwarded): void {
  response.writeHead(status, { 'content-type': MEDIA_TYPE });
  response.end(body);
}

function spoil(response: ServerResponse, { status, body }: Forwarded, fault: Fault): void {
  const half = body.slice(0, body.length / 2);
  const garbled = `${half}${'\u0007{'.repeat(body.length - half.length)}`;
  const sent = { truncated: half, garbled }[String(fault)] ?? body;
  response.writeHead(status, {
    'content-type': MEDIA_TYPE,
    'content-length': Buffer.byteLength(sent),
  });
  if (fault === 'stalled') response.write(half);
  else if (fault === 'dripping') drip(response, body);
  else if (fault === 'cut off') response.write(half, () => response.destroy());
  else response.end(sent);
}

function drip(response: ServerResponse, body: string): void {
  let at = 0;
  const timer = setInterval(() => response.write(body.charAt(at++)), 200);
  response.once('close', () => clearInterval(timer));
}
