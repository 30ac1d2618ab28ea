import { afterAll, vi } from 'vitest';

// Runs for each test file, because files share a process (vitest.config.ts).
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});
