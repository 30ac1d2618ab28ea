import { afterAll, vi } from 'vitest';

// Test files share a process (`isolate: false`), so each file must leave the process as it was.
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});
