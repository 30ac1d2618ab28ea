import { afterAll, vi } from 'vitest';

// Test files share a process (vitest.config.ts). This code runs for each file and undoes its tests' changes.
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});
