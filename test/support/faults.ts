import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

export const MEDIA_TYPE = 'application/x-amz-json-1.0';

/** What happens to a request on its way to the database. */
export type Fault =
  | 'none'
  /** The database does its work, and the connection breaks before the response. */
  | 'response lost'
  | 'reset'
  | 'hang'
  /** Half of the response, and nothing more. */
  | 'stalled'
  /** The response, a byte at a time, too slow for any client. */
  | 'dripping'
  /** The database does its work, and no client waits until its response comes. */
  | 'too late'
  /** Something else than HTTP. */
  | 'no http'
  /** Half of the JSON text. */
  | 'truncated'
  /** The connection breaks in the middle of the response. */
  | 'cut off'
  /** The response is lost too, and something else happens before the connection breaks. */
  | { lostAfter: () => Promise<void> }
  /** The connection breaks at once, and the request still reaches the database, but later. */
  | { lateAfter: () => Promise<unknown>; landed?: () => void }
  /** The response comes, so many milliseconds late. */
  | { delayedBy: number }
  /** The response comes, after something else. */
  | { respondsAfter: () => Promise<unknown> }
  /** The database does its work, and this is the response in place of its own. */
  | { doneBut: { status: number; body: string } }
  /** The bytes of the response from the middle on are others. */
  | 'garbled'
  /** The database does not see the request; this is the response in its place. */
  | { status: number; body: string };

/** How long it takes until some of a response has arrived of which no more comes, or too slowly. */
const SOME_MS = 450;

/**
 * The milliseconds after which a client only waits until it gives up; undefined if a fault has an end.
 */
export function endlessAfter(fault: Fault): number | undefined {
  if (fault === 'hang' || fault === 'too late') return 0;
  return fault === 'stalled' || fault === 'dripping' ? SOME_MS : undefined;
}

/** A response of DynamoDB that is an error. */
export const dynamoError = (status: number, name: string, message = 'Invented.') => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message }),
});

/** What the database responded with. */
export interface Forwarded {
  status: number;
  body: string;
}

type Forward = () => Promise<Forwarded>;

/** Responds to a request, or not, as a fault has it. */
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
