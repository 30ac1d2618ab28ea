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
  // One failed test kills the mutant: this error keeps Vitest from loading further test files.
  if (stryker.hasKilled) throw new Error('A test has failed before.');
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') stryker.hasKilled = true;
  });
} else {
  recordHooks();
}

/**
 * Credits a mutant that a file's hooks reach to all tests of the file. Stryker would take it for module code, and run
 * every test against it.
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
