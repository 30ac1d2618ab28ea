/** The signals by which operators, terminals and systems ask a process to end. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C arrives twice, from the terminal and passed on by npm. A second signal within this time, in
 * milliseconds, is taken for the same request.
 */
const REPEAT_MS = 1000;

/**
 * A signal that is aborted when this process is asked to end: the command then finishes what is under way
 * and says how far it got. A second request ends the process at once.
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
