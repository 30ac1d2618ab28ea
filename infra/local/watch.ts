import { once } from 'node:events';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import { root } from '../project.ts';

/**
 * The time, in milliseconds, that must pass after the last change before a build begins. Editors may write a file
 * several times.
 */
const SETTLE_MS = 200;

/**
 * The code that runs only in this process. A change to this code needs a restart, because the process does not load the
 * code again.
 */
const RUNNING = /^infra\/(local\/|commands\/|project\.ts)/;

const WATCHED = ['functions', 'infra', 'cdk.json'];

/**
 * Rebuilds when the code changes, one build at a time, until the returned object is disposed. If this process's own
 * code changes, reports that a restart is needed. The promise resolves as soon as the watcher notices changes.
 */
export async function rebuildOnChange(
  rebuild: () => Promise<void>,
  report: (line: string) => void,
): Promise<AsyncDisposable> {
  const watcher = watch(WATCHED, {
    cwd: fileURLToPath(root),
    ignoreInitial: true,
    // Ignore the temporary files of editors.
    ignored: (path, stats) => stats?.isFile() === true && !/\.ts$|\.ndjson$|cdk\.json$/.test(path),
  });
  await once(watcher, 'ready');
  report(`Watching ${WATCHED.join(', ')}: changed code is built and served.`);
  const changed = new Set<string>();
  let building = Promise.resolve();
  const build = async () => {
    const paths = [...changed];
    changed.clear();
    const running = paths.filter((path) => RUNNING.test(path));
    if (running.length > 0) {
      const restart = running.some((path) => path.endsWith('.ndjson')) ? ' -- --reset' : '';
      report(`Restart npm start${restart} to use the changed ${running.join(', ')}.`);
    }
    if (running.length === paths.length) return;
    const start = performance.now();
    try {
      await rebuild();
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      report(`Rebuilt in ${seconds} s after a change of ${paths.join(', ')}.`);
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
    }
  };
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', (_event, path) => {
    changed.add(path.replaceAll(sep, '/'));
    clearTimeout(timer);
    timer = setTimeout(() => {
      building = building.then(build);
    }, SETTLE_MS);
  });
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
