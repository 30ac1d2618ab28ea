import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../support/server.ts';

/** Stands before the embedded database and notes what each request costs there. */
export interface CapacityProxy {
  url: string;
  /** The units that each request since the last `take` has consumed, where the answer says it. */
  take(): (number | undefined)[];
  stop(): Promise<void>;
}

/** The embedded database checks no signatures, so the proxy may ask for what the function does not. */
export async function startCapacityProxy(database: string): Promise<CapacityProxy> {
  const consumed: (number | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const input = JSON.parse(await text(request));
    const answer = await fetch(database, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': String(request.headers['x-amz-target']),
        authorization: String(request.headers.authorization),
        'x-amz-date': String(request.headers['x-amz-date']),
      },
      body: JSON.stringify({ ...input, ReturnConsumedCapacity: 'TOTAL' }),
    });
    const body = await answer.text();
    const { ConsumedCapacity: capacity } = JSON.parse(body);
    consumed.push(capacity?.CapacityUnits);
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    take: () => consumed.splice(0),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
