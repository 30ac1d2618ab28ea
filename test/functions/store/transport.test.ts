import dns from 'node:dns';
import { getEventListeners, once } from 'node:events';
import http, { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import net from 'node:net';
import tls, { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { HttpRequest } from '@smithy/core/protocols';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Clock,
  type ClockReading,
  systemClock,
  systemTimer,
  type Timer,
  type TimerName,
} from '../../../functions/platform/clock.ts';
import {
  createTransport,
  type HttpRequestHandler,
  type TransportLimits,
} from '../../../functions/store/transport.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { portOf } from '../../support/server.ts';
import { longLimits } from '../../support/time.ts';

const MEGABYTE = 1_048_576;
const SECOND_MS = 1000;
/** Longer than the limit for opening a connection. */
const BLOCKED_MS = 700;
const hello: RequestListener = (_, response) => response.end('hello');

describe('the transport of the database client', () => {
  const certificate = makeCertificate();
  beforeAll(() => {
    setDefaultCACertificates([...getCACertificates(), certificate.certificate]);
  });

  interface Wanted {
    isSecure?: boolean;
    clock?: Clock;
    timer?: Timer;
    limits?: Partial<TransportLimits>;
  }

  const transportTo = (url: string, limits?: Partial<TransportLimits>) =>
    createTransport(url, systemClock, systemTimer, limits);

  async function to(
    listener: RequestListener,
    {
      isSecure = false,
      clock = systemClock,
      timer = systemTimer,
      limits = longLimits.database,
    }: Wanted = {},
  ) {
    const server = isSecure
      ? createSecureServer({ key: certificate.key, cert: certificate.certificate }, listener)
      : createServer(listener);
    const connections: net.Socket[] = [];
    server.on('connection', (socket) => connections.push(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http${isSecure ? 's' : ''}://localhost:${portOf(server)}`;
    return { transport: createTransport(url, clock, timer, limits), server, connections };
  }

  async function send(transport: HttpRequestHandler, abortSignal?: AbortSignal): Promise<string> {
    const request = new HttpRequest({ method: 'POST', path: '/' });
    const { response } = await transport.handle(request, abortSignal && { abortSignal });
    return `${response.statusCode} ${Buffer.from(response.body)}`;
  }

  it.each([
    ['http', false],
    ['https', true],
  ])('uses the connection that was opened ahead, and keeps it, over %s', async (_, isSecure) => {
    const { transport, connections } = await to(hello, { isSecure });
    await transport.connect();
    expect(connections).toHaveLength(1);
    expect(await send(transport)).toBe('200 hello');
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toHaveLength(1);
  });

  it.each<[string, (socket: net.Socket, peer: net.Socket) => unknown]>([
    [
      'the server has closed',
      (socket, peer) => {
        peer.destroy();
        return once(socket.resume(), 'close');
      },
    ],
    ['has failed', (socket) => socket.emit('error', new Error('read ECONNRESET'))],
    [
      'has bytes that are not a response to the request',
      (socket, peer) => {
        peer.write('HTTP/1.1 408 Request Timeout\r\n\r\n');
        return expect.poll(() => socket.readableLength).toBeGreaterThan(0);
      },
    ],
  ])('does not use a connection opened ahead that %s', async (_, happen) => {
    const { transport, connections } = await to(hello);
    const opening = vi.spyOn(net, 'connect');
    await transport.connect();
    const socket: net.Socket = opening.mock.results[0]?.value;
    opening.mockRestore();
    await happen(socket, connections[0] ?? expect.fail());
    expect(await send(transport)).toBe('200 hello');
    expect(connections).toHaveLength(2);
    expect(socket.destroyed).toBe(true);
  });

  it.each<[string, Partial<ClockReading>]>([
    ['both clocks', { date: 1, monotonic: 1 }],
    ['a clock, which was set back', { date: -1 }],
    ['the monotonic clock alone', { monotonic: 1 }],
  ])('replaces a connection that was idle for ten seconds by %s', async (_, clockRates) => {
    const now = { date: 0, monotonic: 0 };
    const pass = (ms: number) => {
      now.date += ms * (clockRates.date ?? 0);
      now.monotonic += ms * (clockRates.monotonic ?? 0);
    };
    const { transport, connections } = await to(hello, { clock: () => ({ ...now }) });
    await transport.connect();
    const counts: number[] = [];
    for (const ms of [9999, 9999, 10_000]) {
      pass(ms);
      expect(await send(transport)).toBe('200 hello');
      counts.push(connections.length);
    }
    expect(counts).toEqual([1, 1, 2]);
    await transport.connect();
    pass(10_000);
    await send(transport);
    expect(connections).toHaveLength(4);
  });

  it('connects to an address of IPv4 or IPv6, and to the port of its scheme if it names none', async () => {
    const secure = vi.spyOn(tls, 'connect');
    const plain = vi.spyOn(net, 'connect');
    await Promise.all([
      transportTo('https://127.0.0.1').connect(),
      transportTo('http://[::1]').connect(),
    ]);
    const target = { noDelay: true, servername: '' };
    expect(secure).toHaveBeenCalledWith({ ...target, host: '127.0.0.1', port: 443 });
    expect(plain).toHaveBeenCalledWith({ ...target, host: '::1', port: 80 });
    vi.restoreAllMocks();
  });

  it('names the server to TLS, so that it can choose its certificate', async () => {
    const names: unknown[] = [];
    const { transport, server } = await to(hello, { isSecure: true });
    server.on('secureConnection', ({ servername }) => names.push(servername));
    await send(transport);
    server.closeAllConnections();
    await transport.connect();
    await expect.poll(() => names).toEqual(['localhost', 'localhost']);
  });

  describe('within its time limits', () => {
    const failureOf = (response: Promise<string>) => response.catch(({ cause }) => cause.name);

    function controlled() {
      const timers = new Map<TimerName, { ms: number; end: () => void }>();
      const timer: Timer = (name, ms, end) => {
        timers.set(name, { ms, end });
        return () => timers.delete(name);
      };
      return { timers, options: { limits: {}, timer } };
    }

    it('cancels a request after a second, even if its response has begun', async () => {
      const requests = vi.spyOn(http, 'request');
      const { timers, options } = controlled();
      const { transport } = await to((_, response) => response.write('hel'), options);
      const failure = failureOf(send(transport));
      await once(requests.mock.results[0]?.value, 'response');
      expect([...timers]).toMatchObject([['request', { ms: SECOND_MS }]]);
      timers.get('request')?.end();
      expect(await failure).toBe('TimeoutError');
      requests.mockRestore();
    });

    it('cancels a request that has no connection after half a second', async () => {
      const { timers, options } = controlled();
      const { transport } = await to(hello, options);
      const lookup = vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never);
      const failure = failureOf(send(transport));
      expect(timers.get('connect')?.ms).toBe(SECOND_MS / 2);
      timers.get('connect')?.end();
      expect(await failure).toBe('TimeoutError');
      lookup.mockRestore();
    });

    it('waits on a kept connection for longer than for a connection', async () => {
      const { timers, options } = controlled();
      let received = 0;
      const last = Promise.withResolvers<void>();
      const { transport, connections } = await to((_, response) => {
        received += 1;
        if (received === 1) response.end('hello');
        else last.resolve();
      }, options);
      await send(transport);
      void failureOf(send(transport));
      await last.promise;
      expect([...timers.keys()]).toEqual(['request']);
      expect(connections).toHaveLength(1);
    });

    it.each([
      ['has its response', false, '200 hello'],
      ['finds no connection', true, 'DynamoDB sent no complete response.'],
    ])('leaves no timer and no listener when a request %s', async (_, isClosed, outcome) => {
      const { timers, options } = controlled();
      const { transport, server } = await to(hello, options);
      if (isClosed) server.close();
      const { signal } = new AbortController();
      expect(await send(transport, signal).catch(({ message }) => message)).toBe(outcome);
      expect(timers.size).toBe(0);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('stops waiting for a connection opened ahead', async () => {
      const lookup = vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never);
      const opening = vi.spyOn(net, 'connect');
      const connecting = transportTo('http://localhost', { connect: 20 }).connect();
      const socket = opening.mock.results[0]?.value;
      expect(socket.destroyed).toBe(false);
      await connecting;
      expect(socket.destroyed).toBe(true);
      lookup.mockRestore();
      opening.mockRestore();
    });
  });

  it('uses a connection that was opened ahead while the event loop was blocked', async () => {
    const { server, connections } = await to(hello, { isSecure: true });
    const transport = transportTo(`https://localhost:${portOf(server)}`);
    const connecting = transport.connect();
    const end = performance.now() + BLOCKED_MS;
    while (performance.now() < end);
    await connecting;
    expect(connections).toHaveLength(1);
    await send(transport);
    expect(connections).toHaveLength(1);
  });

  const brokenAfter =
    (isSecure: boolean, isAhead = false) =>
    async () => {
      const { transport } = await to((request) => request.socket.destroy(), { isSecure });
      if (isAhead) await transport.connect();
      return send(transport);
    };
  const UNANSWERED = { name: 'NoResponseError', isSent: true };

  it.each<[string, () => Promise<string>, object]>([
    [
      'no connection can be opened',
      async () => {
        const { transport, server } = await to(hello);
        server.close();
        await transport.connect();
        return send(transport);
      },
      { isSent: false, cause: { code: 'ECONNREFUSED' } },
    ],
    [
      'it was aborted before',
      async () => send((await to(() => undefined)).transport, AbortSignal.abort()),
      { isSent: false, cause: { name: 'AbortError' } },
    ],
    [
      'the server does not speak TLS',
      async () => send(transportTo(`https://localhost:${portOf((await to(hello)).server)}`)),
      { isSent: false },
    ],
    ['a new connection breaks after it', brokenAfter(false), UNANSWERED],
    ['a new connection of TLS breaks after it', brokenAfter(true), UNANSWERED],
    ['a connection of TLS opened ahead breaks after it', brokenAfter(true, true), UNANSWERED],
  ])('says whether a request was sent, if %s', async (_, request, failure) => {
    await expect(request()).rejects.toMatchObject(failure);
  });

  it('rejects a response that is longer than any of DynamoDB', async () => {
    const { transport } = await to((_, response) => response.end(Buffer.alloc(4 * MEGABYTE + 1)));
    const message = 'The body has more than 4194304 bytes.';
    // The status shows whether the request may have been applied.
    const $metadata = { httpStatusCode: 200 };
    await expect(send(transport)).rejects.toMatchObject({ message, $metadata });
    const longest = await to((_, response) => response.end(Buffer.alloc(4 * MEGABYTE, 'x')));
    expect(await send(longest.transport)).toHaveLength('200 '.length + 4 * MEGABYTE);
  });
});
