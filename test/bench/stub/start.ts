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
  certificate: string;
  tokens: Tokens;
}

/** DynamoDB and a token issuer, over TLS, in a process of their own. */
export interface Stub extends StubState {
  /** The file of the certificate to trust. */
  certificateFile: string;
  stop(): Promise<void>;
}

/** @throws Error if its process ends before it is ready. */
export async function startStub(): Promise<Stub> {
  const child = fork(fileURLToPath(new URL('process.ts', import.meta.url)), { execArgv: [] });
  const ended = once(child, 'exit');
  const [state] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
  if (state === undefined) throw new Error('The stub does not start.');
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-bench-'));
  const certificateFile = join(folder, 'certificate.pem');
  writeFileSync(certificateFile, state.certificate);
  return {
    ...(state as StubState),
    certificateFile,
    async stop() {
      child.disconnect();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
