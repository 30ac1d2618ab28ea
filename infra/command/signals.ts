export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C arrives twice: from the terminal and from npm. A second signal within this time counts as the copy. */
const REPEAT_MS = 1000;

/** Lets the command finish its requests under way and say how far it got. A second signal ends the process at once. */
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
