import type { Output } from './run-command.ts';

/** What clears the line of a terminal on which the progress stands. */
export const clearOf = ({ isTTY }: Output) => (isTTY ? '\r\u001b[K' : '');

/**
 * Says how far a command is: on a terminal once a second, on one line; elsewhere every five seconds, on a
 * line of its own with the time. `print` writes another line, with hidden characters escaped, and waits until the
 * output takes more.
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
    print: (line: string) => writeFully(output, `${clear}${escapeHidden(line)}\n`),
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

/**
 * What an operator cannot see in a text, or what changes how the text is shown: control, format, private and
 * unassigned characters, separators besides the space, fillers and variation selectors. The last five characters
 * have no ink, such as the blank Braille pattern, and no property tells them from others.
 */
const HIDDEN =
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}]--[ ]]/v;
/** The same without the newline, which separates lines and the members of a JSON text. */
const HIDDEN_IN_JSON = new RegExp(`[${HIDDEN.source}--[\\n]]`, 'gv');
/** A text with nothing to escape. To test it is faster than to look for the properties. */
const PLAIN = /^[\n -~]*$/;

/** Whether a text has characters that an operator cannot see. */
export const hasHidden = (text: string) => HIDDEN.test(text);

/** Escapes the hidden characters of a text, except newlines, as JSON does. A JSON text keeps its value. */
export const escapeHidden = (json: string) =>
  PLAIN.test(json)
    ? json
    : json.replace(HIDDEN_IN_JSON, (hidden) =>
        hidden.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      );

/** A value as JSON that may be printed. */
export const quoted = (value: string | object) => escapeHidden(JSON.stringify(value));

/** Returns a value that JSON can hold: a list for a set, and text in base64 for bytes, which DynamoDB also stores. */
export function jsonValue(value: unknown): unknown {
  if (value instanceof Set) return [...value].map(jsonValue);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** A count and its noun: `1 line`, `2 lines`. */
export const pluralize = (count: number, noun: string) =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
