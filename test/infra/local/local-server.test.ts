import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenOn } from '../../../infra/local/local-server.ts';

/** The first port that this system gives to every user; undefined if the system does not say. */
const FILE = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
const firstOpenPort = existsSync(FILE) ? Number(readFileSync(FILE, 'utf8')) : undefined;

/** A user that is not the administrator. */
const USER = 65_534;

describe('a port of the local service', () => {
  it.skipIf(firstOpenPort === undefined || firstOpenPort <= 81)(
    'that only administrators may use is refused with what to do',
    async () => {
      const { geteuid, seteuid } = process;
      const user = geteuid?.() ?? USER;
      if (user === 0) seteuid?.(USER);
      try {
        await expect(listenOn(createServer(), 81)).rejects.toThrow(
          'Port 81 is reserved by the system (EACCES): choose another one above 1023, as in PORT=3010 npm start.',
        );
      } finally {
        seteuid?.(user);
      }
    },
  );
});
