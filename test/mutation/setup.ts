import { afterAll, afterEach, beforeAll, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    mode: 'dry-run' | 'mutant';
    globalNamespace: string;
  }
}

type Coverage = Record<string, number>;

interface Stryker {
  currentTestId?: string | undefined;
  mutantCoverage?: { perTest: Record<string, Coverage> };
  hasKilled?: boolean;
}

const globals = globalThis as unknown as Record<string, Stryker>;
const name = inject('globalNamespace');
globals[name] ??= {};
const stryker = globals[name];

if (inject('mode') === 'mutant') {
  // One failed test is enough to kill the mutant: this error keeps Vitest from loading further test files.
  if (stryker.hasKilled) throw new Error('A test has failed before.');
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') stryker.hasKilled = true;
  });
} else {
  recordHooks();
}

/**
 * Mutants that the hooks of a test file reach count as reached by all of its tests. Otherwise Stryker would assume that
 * they run while a module loads, and would try them with every test.
 */
function recordHooks() {
  const HOOKS = 'hooks';
  const tests = new Set<string>();
  let test: string | undefined;
  let otherwise: string | undefined;
  Object.defineProperty(stryker, 'currentTestId', {
    configurable: true,
    get: () => test ?? otherwise,
    set(id: string | undefined) {
      test = id;
      if (id !== undefined) tests.add(id);
    },
  });
  beforeAll(() => {
    otherwise = HOOKS;
  });
  afterAll(() => {
    otherwise = undefined;
    const { perTest = {} } = stryker.mutantCoverage ?? {};
    const { [HOOKS]: reached = {} } = perTest;
    delete perTest[HOOKS];
    for (const id of tests) {
      perTest[id] ??= {};
      for (const [mutant, hits] of Object.entries(reached))
        perTest[id][mutant] = (perTest[id][mutant] ?? 0) + hits;
    }
  });
}
