/** The signals by which operators, terminals and systems ask a process to end. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The time, in milliseconds, within which a second signal counts as a copy of the first. Ctrl-C arrives twice, because
 * the terminal sends it and npm passes it on.
 */
const REPEAT_MS = 1000;

/**
 * Returns an `AbortSignal` that is aborted when the operator or the system asks this process to end. The command then
 * finishes its requests under way and says how far it got. A second request to end stops the process at once.
 */
export function abortOnSignal(): AbortSignal {
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
