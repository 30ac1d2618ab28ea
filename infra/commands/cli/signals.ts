/** The signals by which operators, terminals and systems ask a process to end. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The time, in milliseconds, within which a second signal counts as the same request. Ctrl-C arrives twice, because
 * the terminal sends it and npm passes it on.
 */
const REPEAT_MS = 1000;

/**
 * Returns a signal that is aborted when this process is asked to end. The command then finishes its requests under
 * way and says how far it got. A second request to end stops the process at once.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const name of END_SIGNALS) {
    process.on(name, () => {
      if (!controller.signal.aborted) first = performance.now();
      else if (performance.now() - first > REPEAT_MS) process.exit(1);
      controller.abort(new Error(`Stopped by ${name}.`));
    });
  }
  return controller.signal;
}
