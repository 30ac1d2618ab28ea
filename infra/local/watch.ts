import { once } from 'node:events';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import { root } from '../project.ts';

/** Editors write a file several times: how long to wait for the last one, in milliseconds. */
const SETTLE_MS = 200;

/**
 * What runs in this process alone, which does not load it again. Parts of `functions/` run in it too, for the
 * printed events and the tokens.
 */
const RUNNING = /^infra\/(local\/|cli\/|operations\/|project\.ts)/;

/**
 * Rebuilds when the code changes, one build at a time, until it is disposed; says that a restart is needed
 * if the code of this process changes. Resolves when changes are noticed.
 */
export async function rebuildOnChange(
  rebuild: () => Promise<void>,
  report: (line: string) => void,
): Promise<AsyncDisposable> {
  const watcher = watch(['functions', 'infra', 'cdk.json'], {
    cwd: fileURLToPath(root),
    ignoreInitial: true,
    // Editors also write files of their own.
    ignored: (path, stats) => stats?.isFile() === true && !/\.ts$|\.ndjson$|cdk\.json$/.test(path),
  });
  await once(watcher, 'ready');
  const changed = new Set<string>();
  let building = Promise.resolve();
  const build = async () => {
    const paths = [...changed];
    changed.clear();
    const running = paths.filter((path) => RUNNING.test(path));
    if (running.length > 0) {
      const restart = running.some((path) => path.endsWith('.ndjson')) ? ' -- --reset' : '';
      report(`Restart npm start${restart} to use the changes of ${running.join(', ')}.`);
    }
    if (running.length === paths.length) return;
    await rebuild().then(
      () => report('Rebuilt. The functions run the new code.'),
      (error) => report(error instanceof Error ? error.message : String(error)),
    );
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
