/** The signals by which operators, terminals and systems ask a command to end. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Ctrl-C comes twice, from the terminal and passed on by npm: so soon, it is one wish, in milliseconds. */
const ONE_WISH_MS = 1000;

/** The command has been asked to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(signal: string) {
    super(`It was stopped by ${signal}.`);
  }
}

/**
 * Is aborted, with `Interrupted`, when the command is asked to end: it then finishes what is under way and
 * says how far it has come. Whoever asks again does not want to wait, and ends it at once.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (!controller.signal.aborted) first = performance.now();
      else if (performance.now() - first > ONE_WISH_MS) process.exit(1);
      controller.abort(new Interrupted(name));
    });
  }
  return controller.signal;
}
