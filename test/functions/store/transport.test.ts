import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import net from 'node:net';
import tls, { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { HttpRequest } from '@smithy/core/protocols';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Transport } from '../../../functions/store/transport.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { portOf } from '../../support/server.ts';

const MEGABYTE = 1_048_576;
const hello: RequestListener = (_, response) => response.end('hello');

describe('the transport of the database’s client', () => {
  const certificate = makeCertificate();
  let server: Server;
  let connections = 0;
  beforeAll(() => {
    setDefaultCACertificates([...getCACertificates(), certificate.certificate]);
  });
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** A transport to a server that answers so. */
  async function to(
    listener: RequestListener,
    isSecure = false,
    host = '127.0.0.1',
  ): Promise<Transport> {
    server = isSecure
      ? createSecureServer({ key: certificate.key, cert: certificate.certificate }, listener)
      : createServer(listener);
    connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    await once(server.listen(0, host), 'listening');
    const name = host === '::1' ? '[::1]' : 'localhost';
    return new Transport(`http${isSecure ? 's' : ''}://${name}:${portOf(server)}`);
  }

  async function send(
    transport: Transport,
    abortSignal?: AbortSignal,
    hostname = 'localhost',
  ): Promise<string> {
    const { port, protocol } = Object(server.address());
    const request = new HttpRequest({
      hostname,
      port,
      protocol,
      method: 'POST',
      path: '/',
    });
    const { response } = await transport.handle(request, abortSignal && { abortSignal });
    return `${response.statusCode} ${Buffer.from(response.body)}`;
  }

  it.each([
    ['http', false],
    ['https', true],
  ])('takes the connection that was opened ahead, and keeps it, by %s', async (_, isSecure) => {
    const transport = await to(hello, isSecure);
    await transport.connect();
    expect(connections).toBe(1);
    expect(await send(transport)).toBe('200 hello');
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(1);
  });

  it('does not take a connection that has been closed since', async () => {
    const transport = await to(hello);
    await transport.connect();
    server.closeAllConnections();
    await vi.waitFor(async () => expect(await send(transport)).toBe('200 hello'));
    expect(connections).toBe(2);
  });

  it.each([
    [9_999, 1],
    [10_000, 2],
  ])('takes a connection opened %i ms ago in %i of them', async (age, expected) => {
    const transport = await to(hello);
    await transport.connect();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + age });
    expect(await send(transport)).toBe('200 hello');
    vi.useRealTimers();
    expect(connections).toBe(expected);
  });

  it('does not take what the server says on a connection of itself for an answer', async () => {
    const transport = await to(hello);
    server.once('connection', (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'));
    const opening = vi.spyOn(net, 'connect');
    await transport.connect();
    const socket = opening.mock.results[0]?.value;
    opening.mockRestore();
    await vi.waitFor(() => expect(socket.readableLength).toBeGreaterThan(0));
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(2);
    expect(socket.destroyed).toBe(true);
  });

  it('finds a server by its address of IPv6', async () => {
    const transport = await to(hello, false, '::1');
    await transport.connect();
    expect(await send(transport, undefined, '[::1]')).toBe('200 hello');
    expect(connections).toBe(1);
  });

  it('does without a connection that cannot be opened, and says so when it is needed', async () => {
    const transport = await to(hello);
    server.close();
    await transport.connect();
    await expect(send(transport)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('connects to the port of its scheme where the endpoint names none', async () => {
    const secure = vi.spyOn(tls, 'connect');
    const plain = vi.spyOn(net, 'connect');
    await Promise.all([
      new Transport('https://127.0.0.1').connect(),
      new Transport('http://127.0.0.1').connect(),
    ]);
    const target = { host: '127.0.0.1', noDelay: true };
    expect(secure).toHaveBeenCalledWith({ ...target, port: 443, servername: '' });
    expect(plain).toHaveBeenCalledWith({ ...target, port: 80 });
    vi.restoreAllMocks();
  });

  it('gives up an answer that has begun, too, after a second', async () => {
    const transport = await to((_, response) => response.write('hel'));
    const startedAt = performance.now();
    await expect(send(transport)).rejects.toMatchObject({ name: 'TimeoutError' });
    const ms = performance.now() - startedAt;
    expect(ms).toBeGreaterThan(950);
    expect(ms).toBeLessThan(1900);
  });

  it.each([
    ['before the request', 0],
    ['before the answer', 20],
  ])('is aborted %s at once', async (_, delay) => {
    const transport = await to(() => undefined);
    const controller = new AbortController();
    if (delay === 0) controller.abort();
    else setTimeout(() => controller.abort(), delay);
    const startedAt = performance.now();
    await expect(send(transport, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it('refuses an answer that is longer than any of DynamoDB', async () => {
    const transport = await to((_, response) => response.end(Buffer.alloc(4 * MEGABYTE + 1)));
    await expect(send(transport)).rejects.toThrow('more than 4194304 bytes');
    server.closeAllConnections();
    const longest = await to((_, response) => response.end(Buffer.alloc(4 * MEGABYTE, 'x')));
    expect(await send(longest)).toHaveLength('200 '.length + 4 * MEGABYTE);
  });
});
