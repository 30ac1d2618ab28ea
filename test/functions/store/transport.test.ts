import dns from 'node:dns';
import { getEventListeners, once } from 'node:events';
import http, { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import net from 'node:net';
import tls, { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { HttpRequest } from '@smithy/core/protocols';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Transport, wasNeverSent } from '../../../functions/store/transport.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { portOf } from '../../support/server.ts';

const MEGABYTE = 1_048_576;
const hello: RequestListener = (_, response) => response.end('hello');

describe('the transport of the database client', () => {
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

  /** A transport to a server that responds as `listener` does. */
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
    // Generous for a busy machine: the tests of the limits use the real ones with a controlled clock.
    const limits = { connect: 60_000, request: 60_000 };
    return new Transport(`http${isSecure ? 's' : ''}://${name}:${portOf(server)}`, limits);
  }

  async function send(transport: Transport, abortSignal?: AbortSignal): Promise<string> {
    const request = new HttpRequest({ method: 'POST', path: '/' });
    const { response } = await transport.handle(request, abortSignal && { abortSignal });
    return `${response.statusCode} ${Buffer.from(response.body)}`;
  }

  it.each([
    ['http', false],
    ['https', true],
  ])('uses the connection that was opened ahead, and keeps it, over %s', async (_, isSecure) => {
    const transport = await to(hello, isSecure);
    await transport.connect();
    expect(connections).toBe(1);
    expect(await send(transport)).toBe('200 hello');
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(1);
  });

  /** Opens a connection ahead, and returns its socket. */
  async function connectAhead(transport: Transport): Promise<net.Socket> {
    const opening = vi.spyOn(net, 'connect');
    await transport.connect();
    const socket = opening.mock.results[0]?.value;
    opening.mockRestore();
    return socket;
  }

  it('does not use a connection that has been closed since', async () => {
    const transport = await to(hello);
    const socket = await connectAhead(transport);
    server.closeAllConnections();
    await once(socket.resume(), 'close');
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(2);
  });

  it('does not use a connection that can only be read', async () => {
    const transport = await to(hello);
    const socket = await connectAhead(transport);
    socket.end();
    expect(socket.readyState).toBe('readOnly');
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(2);
    expect(socket.destroyed).toBe(true);
  });

  describe.each<[string, 'Date' | 'performance', number]>([
    ['after a while', 'Date', 1],
    ['though the clock was set back', 'Date', -1],
    ['though the clock stood still', 'performance', 1],
  ])('that was frozen, %s,', (_, clock, sign) => {
    /** Moves one clock and leaves the other. */
    function freeze(ms: number): void {
      vi.spyOn(clock === 'Date' ? Date : performance, 'now').mockReturnValue(
        (clock === 'Date' ? Date : performance).now() + sign * ms,
      );
    }
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    });
    afterEach(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });

    it.each([
      [9_999, 1],
      [10_000, 2],
    ])('needs, %i ms after a connection was opened ahead, %i in all', async (age, expected) => {
      const transport = await to(hello);
      await transport.connect();
      freeze(age);
      expect(await send(transport)).toBe('200 hello');
      expect(connections).toBe(expected);
    });

    it.each([
      [9_999, 1],
      [10_000, 2],
    ])('needs, %i ms after its last request, %i in all', async (age, expected) => {
      const transport = await to(hello);
      await send(transport);
      freeze(age);
      expect(await send(transport)).toBe('200 hello');
      expect(connections).toBe(expected);
    });
  });

  it('does not read what the server sent before the request as its response', async () => {
    const transport = await to(hello);
    server.once('connection', (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'));
    const opening = vi.spyOn(net, 'connect');
    await transport.connect();
    const socket = opening.mock.results[0]?.value;
    opening.mockRestore();
    await expect.poll(() => socket.readableLength).toBeGreaterThan(0);
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(2);
    expect(socket.destroyed).toBe(true);
  });

  it('connects to an IPv6 address', async () => {
    const transport = await to(hello, false, '::1');
    await transport.connect();
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toBe(1);
  });

  it('rejects the request, not the opening ahead, if no connection can be opened', async () => {
    const transport = await to(hello);
    server.close();
    await transport.connect();
    await expect(send(transport)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('connects to the port of its scheme if the endpoint names none', async () => {
    const secure = vi.spyOn(tls, 'connect');
    const plain = vi.spyOn(net, 'connect');
    await Promise.all([
      new Transport('https://127.0.0.1').connect(),
      new Transport('http://127.0.0.1').connect(),
    ]);
    const target = { host: '127.0.0.1', noDelay: true, servername: '' };
    expect(secure).toHaveBeenCalledWith({ ...target, port: 443 });
    expect(plain).toHaveBeenCalledWith({ ...target, port: 80 });
    vi.restoreAllMocks();
  });

  it('names the server to TLS, so that it can choose its certificate', async () => {
    const names: unknown[] = [];
    const transport = await to(hello, true);
    server.on('secureConnection', ({ servername }) => names.push(servername));
    await send(transport);
    server.closeAllConnections();
    await transport.connect();
    await expect.poll(() => names).toEqual(['localhost', 'localhost']);
  });

  describe('within its time limits', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });
    afterEach(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });

    /** Sends a request with the default limits. Its outcome is set once it has ended. */
    function start(transport = new Transport(`http://localhost:${portOf(server)}`)): {
      outcome: unknown;
    } {
      const request = { outcome: undefined as unknown };
      send(transport).then(
        (text) => Object.assign(request, { outcome: text }),
        (error) => Object.assign(request, { outcome: error.name }),
      );
      return request;
    }

    it('cancels a request after a second, even if its response has begun', async () => {
      await to((_, response) => response.write('hel'));
      const requests = vi.spyOn(http, 'request');
      const request = start();
      await once(requests.mock.results[0]?.value, 'response');
      await vi.advanceTimersByTimeAsync(999);
      expect(request.outcome).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(request.outcome).toBe('TimeoutError');
    });

    it('cancels a request that has no connection after half a second', async () => {
      await to(hello);
      vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never);
      const request = start();
      await vi.advanceTimersByTimeAsync(499);
      expect(request.outcome).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(request.outcome).toBe('TimeoutError');
    });

    it.each([
      ['a new', 1],
      ['a kept', 2],
    ])('waits on %s connection for longer than for a connection', async (_, count) => {
      const last = Promise.withResolvers<void>();
      let received = 0;
      await to((_, response) => {
        received += 1;
        if (received < count) response.end('hello');
        else last.resolve();
      });
      const transport = new Transport(`http://localhost:${portOf(server)}`);
      if (count === 2) await send(transport);
      const request = start(transport);
      await last.promise;
      await vi.advanceTimersByTimeAsync(999);
      expect(connections).toBe(1);
      expect(request.outcome).toBeUndefined();
    });

    it.each([
      ['has its response', undefined, '200 hello'],
      ['finds no connection', 1, 'ECONNREFUSED'],
    ])('leaves no timer and no listener when a request %s', async (_, port, outcome) => {
      await to(hello);
      const transport = new Transport(`http://127.0.0.1:${port ?? portOf(server)}`);
      const { signal } = new AbortController();
      expect(await send(transport, signal).catch(({ code }) => code)).toBe(outcome);
      expect(vi.getTimerCount()).toBe(0);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  it('stops waiting for a connection opened ahead after half a second', async () => {
    vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never);
    const opening = vi.spyOn(net, 'connect');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const connecting = new Transport('http://localhost').connect();
    const socket = opening.mock.results[0]?.value;
    await vi.advanceTimersByTimeAsync(499);
    expect(socket.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await connecting;
    expect(socket.destroyed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('uses a connection that was opened ahead while the event loop was blocked', async () => {
    await to(hello, true);
    const transport = new Transport(`https://localhost:${portOf(server)}`);
    const connecting = transport.connect();
    const end = performance.now() + 700;
    while (performance.now() < end);
    await connecting;
    expect(connections).toBe(1);
    await send(transport);
    expect(connections).toBe(1);
  });

  describe('says that a request was never sent', () => {
    const failureOf = (response: Promise<string>) => response.catch((error) => error);

    it('if no connection can be opened', async () => {
      const transport = await to(hello);
      server.close();
      expect(wasNeverSent(await failureOf(send(transport)))).toBe(true);
    });

    it('if it was aborted before', async () => {
      const transport = await to(hello);
      expect(wasNeverSent(await failureOf(send(transport, AbortSignal.abort())))).toBe(true);
    });

    it('if the server does not speak TLS', async () => {
      await to(hello);
      const transport = new Transport(`https://localhost:${portOf(server)}`);
      expect(wasNeverSent(await failureOf(send(transport)))).toBe(true);
    });

    it.each([
      ['a new connection', false, false],
      ['a new connection of TLS', true, false],
      ['a connection opened ahead', false, true],
      ['a connection of TLS opened ahead', true, true],
    ])('but not if %s breaks after it', async (_, isSecure, isAhead) => {
      const transport = await to((request) => request.socket.destroy(), isSecure);
      if (isAhead) await transport.connect();
      expect(wasNeverSent(await failureOf(send(transport)))).toBe(false);
    });
  });

  it('rejects a request that is aborted before it is sent', async () => {
    const transport = await to(() => undefined);
    await expect(send(transport, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('rejects a request that is aborted before its response', async () => {
    const controller = new AbortController();
    const transport = await to(() => controller.abort());
    await expect(send(transport, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects a response that is longer than any of DynamoDB', async () => {
    const transport = await to((_, response) => response.end(Buffer.alloc(4 * MEGABYTE + 1)));
    await expect(send(transport)).rejects.toThrow('more than 4194304 bytes');
    server.closeAllConnections();
    const longest = await to((_, response) => response.end(Buffer.alloc(4 * MEGABYTE, 'x')));
    expect(await send(longest)).toHaveLength('200 '.length + 4 * MEGABYTE);
  });
});
