import type { Output } from './command.ts';

/** What clears the line of a terminal on which the progress stands. */
export const clearOf = ({ isTTY }: Output) => (isTTY ? '\r\u001b[K' : '');

/**
 * Says how far a command is: on a terminal once a second, on one line; elsewhere every five seconds, on a
 * line of its own with the time. `print` writes another line, and waits until the output takes more.
 */
export function showProgress(output: Output, text: () => string) {
  const clear = clearOf(output);
  const timer = setInterval(
    () => {
      // If the output takes no more, the next line says how far the command is then.
      if (output.writableNeedDrain) return;
      // The cursor at the beginning, so that a line of another program replaces the text.
      output.write(clear ? `${clear}${text()}\r` : `${new Date().toISOString()} ${text()}\n`);
    },
    output.isTTY ? 1000 : 5000,
  );
  return {
    print: (line: string) => writeFully(output, `${clear}${line}\n`),
    stop() {
      clearInterval(timer);
      output.write(clear);
    },
  };
}

/**
 * Writes a text and waits until the system has taken it.
 * @throws the error of the stream, for example if the disk is full or the reader is gone.
 */
export const writeFully = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** A text in quotation marks, as in JSON, with control and format characters escaped. */
export const quoted = (text: string) =>
  JSON.stringify(text).replace(/[\p{Cc}\p{Cf}]+/gu, (hidden) =>
    hidden.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

/** A count and its noun: `1 line`, `2 lines`. */
export const pluralize = (count: number, noun: string) =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
