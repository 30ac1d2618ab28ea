import type { Output } from './command.ts';

/** How often a command says how far it is, in milliseconds. */
export const EVERY_MS = 5000;

/**
 * Writes a line with the time and `text()` every so many milliseconds, until it is stopped; none if there
 * is no text.
 */
export function reportEvery(milliseconds: number, output: Output, text: () => string | undefined) {
  const timer = setInterval(() => {
    const line = text();
    // If the output takes no more, the next line says how far the command is then.
    if (line === undefined || output.writableNeedDrain) return;
    output.write(`${new Date().toISOString()} ${line}\n`);
  }, milliseconds);
  return { stop: () => clearInterval(timer) };
}

/**
 * Writes a text and waits until the system has taken it.
 * @throws the error of the stream, for example if the disk is full or the reader is gone.
 */
export function written(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The stream emits the error too, and without a listener that would end the process.
    output.once('error', reject);
    output.write(text, (error) => {
      if (error) return;
      output.off('error', reject);
      resolve();
    });
  });
}

/** A count and its noun: `1 line`, `2 lines`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
