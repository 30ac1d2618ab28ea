import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tokens } from './issuer.ts';

/** What the stub's process says of itself. */
export interface StubState {
  databaseUrl: string;
  issuerUrl: string;
  jwksUri: string;
  certificate: string;
  tokens: Tokens;
}

/** DynamoDB and a token issuer, over TLS, in a process of their own. */
export interface Stub extends StubState {
  /** The file of the certificate to trust. */
  certificateFile: string;
  /** How many requests DynamoDB got so far. */
  databaseRequests(): Promise<number>;
  stop(): Promise<void>;
}

export async function startStub(): Promise<Stub> {
  const child = fork(fileURLToPath(new URL('process.ts', import.meta.url)), { execArgv: [] });
  const closed = once(child, 'exit');
  const [state]: StubState[] = await Promise.race([
    once(child, 'message'),
    closed.then(() => Promise.reject(new Error('The stub does not start.'))),
  ]);
  if (state === undefined) throw new Error('The stub said nothing.');
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-bench-'));
  const certificateFile = join(folder, 'certificate.pem');
  writeFileSync(certificateFile, state.certificate);
  return {
    ...state,
    certificateFile,
    async databaseRequests() {
      child.send('requests');
      const [count] = await once(child, 'message');
      return count;
    },
    async stop() {
      child.disconnect();
      await closed;
      rmSync(folder, { recursive: true });
    },
  };
}
