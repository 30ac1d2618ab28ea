import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

export const MEDIA_TYPE = 'application/x-amz-json-1.0';

/** A fault that a request meets on its way to the database. */
export type Fault =
  | 'none'
  /** The database applies the request, and the connection breaks before the response. */
  | 'response lost'
  | 'reset'
  | 'hang'
  /** The first half of the response arrives, and nothing more. */
  | 'stalled'
  /** The response arrives byte by byte, too slowly for any client. */
  | 'dripping'
  /** The database applies the request, and the response arrives after every client has given up. */
  | 'too late'
  /** The response is not HTTP. */
  | 'no http'
  /** The response has only half of the JSON text. */
  | 'truncated'
  /** The connection breaks in the middle of the response. */
  | 'cut off'
  /** The response is lost. `lostAfter` runs before the connection breaks. */
  | { lostAfter: () => Promise<void> }
  /** The connection breaks at once, but the request reaches the database after `lateAfter`. */
  | { lateAfter: () => Promise<unknown>; landed?: () => void }
  /** The response arrives this number of milliseconds late. */
  | { delayedBy: number }
  /** The response arrives after `respondsAfter`. */
  | { respondsAfter: () => Promise<unknown> }
  /** The database applies the request, but this response replaces the database's response. */
  | { doneBut: { status: number; body: string } }
  /** The second half of the response has other bytes. */
  | 'garbled'
  /** The request does not reach the database. This is the response, after `before`. */
  | { status: number; body: string; before?: () => Promise<unknown> };

/** The time after which a part of a stalled or dripping response has arrived, in milliseconds. */
const SOME_MS = 450;

/**
 * Returns the milliseconds after which a client can only wait until it gives up; undefined if the fault ends by itself.
 */
export function endlessAfter(fault: Fault): number | undefined {
  if (fault === 'hang' || fault === 'too late') return 0;
  return fault === 'stalled' || fault === 'dripping' ? SOME_MS : undefined;
}

/** Returns an error response of DynamoDB. */
export const dynamoError = (status: number, name: string, message = 'Invented.') => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }),
});

/** The response of the database. */
export interface Forwarded {
  status: number;
  body: string;
}

type Forward = () => Promise<Forwarded>;

/** Responds to a request as a fault requires. */
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
