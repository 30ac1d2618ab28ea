import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenOn } from '../../../infra/local/local-server.ts';

/** The first port that every user may use; undefined if the system does not report it. */
const FILE = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
const firstOpenPort = existsSync(FILE) ? Number(readFileSync(FILE, 'utf8')) : undefined;

/** A user that is not the administrator. */
const USER = 65_534;

describe('listening on a port', () => {
  it('lets only this machine connect', async () => {
    const server = createServer();
    await listenOn(server, 0);
    expect(server.address()).toMatchObject({ address: '127.0.0.1' });
    server.close();
  });

  it.skipIf(firstOpenPort === undefined || firstOpenPort <= 81)(
    'fails with what to do if only administrators may use the port',
    async () => {
      const { geteuid, seteuid } = process;
      const user = geteuid?.() ?? USER;
      if (user === 0) seteuid?.(USER);
      try {
        await expect(listenOn(createServer(), 81)).rejects.toThrow(
          'Port 81 is reserved by the system (EACCES). Choose a port above 1023, as in PORT=3010 npm start.',
        );
      } finally {
        seteuid?.(user);
      }
    },
  );
});
