// Proxy that adds to responses what a later /v1 may add: a new member in each object, and new values of enumerations.
// Prints its address. clients.sh checks that generated clients accept the additions.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isObject } from '../../functions/domain/own-value.ts';

/** Headers about one connection, or the body's length on it (RFC 9110, section 7.6.1). */
const OF_THE_HOP =
  /^(host|content-length|connection|keep-alive|transfer-encoding|upgrade|http2-settings)$/;

const NEW_VALUES = {
  code: 'a_new_code',
  recommendation: 'a_new_recommendation',
  current_status: 'a_new_status',
};

function withAdditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAdditions);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, it]) => [name, withAdditions(it)]);
  const added = Object.entries(NEW_VALUES).filter(([name]) => Object.hasOwn(value, name));
  return { ...Object.fromEntries([...members, ...added]), a_new_member: { of: ['any', 'type'] } };
}

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const headers = Object.entries(request.headers).filter(([name]) => !OF_THE_HOP.test(name));
  const own = await fetch(new URL(request.url ?? '/', process.env.BASE_URL), {
    method: request.method ?? 'GET',
    headers: headers.map(([name, value]): [string, string] => [name, `${value}`]),
    ...(body.length > 0 && { body }),
  });
  for (const [name, value] of own.headers) {
    if (!OF_THE_HOP.test(name)) response.setHeader(name, value);
  }
  response.writeHead(own.status).end(JSON.stringify(withAdditions(await own.json())));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (isObject(address)) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
