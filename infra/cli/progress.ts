import type { Output } from './command.ts';

/** How often a command says how far it is, in milliseconds. */
export const EVERY_MS = 5000;

/** Writes a line with the time and `text()` every so many milliseconds, until it is stopped. */
export function reportEvery(milliseconds: number, output: Output, text: () => string) {
  const timer = setInterval(() => {
    // If the output takes no more, the next line says how far the command is then.
    if (!output.writableNeedDrain) output.write(`${new Date().toISOString()} ${text()}\n`);
  }, milliseconds);
  return { stop: () => clearInterval(timer) };
}
