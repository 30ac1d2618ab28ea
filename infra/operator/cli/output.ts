import type { Output } from './run-command.ts';

/** Returns the text that clears the progress line of a terminal. For other outputs, the text is empty. */
export const clearOf = ({ isTTY }: Output) => (isTTY ? '\r\u001b[K' : '');

/**
 * Shows the progress of a command. On a terminal, the function rewrites one line each second. Elsewhere, it writes a
 * line with the time every five seconds. The returned `print` writes a message on a line of its own, and waits until
 * the system has taken the message.
 */
export function showProgress(output: Output, text: () => string) {
  const clear = clearOf(output);
  const timer = setInterval(
    () => {
      // The carriage return at the end lets the next line of any program overwrite the text.
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
 * Writes a text, and waits until the system has taken the text.
 * @throws the error of the stream, for example if the disk is full or the program that reads the output has ended.
 */
export const writeFully = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });

/**
 * The characters that an operator cannot see, or that change how a text is shown: control, format, private-use and
 * unassigned characters, separators except the space, fillers and variation selectors. The last five characters in the
 * list, such as the blank Braille pattern, are blank, but have no Unicode property that says so.
 */
const HIDDEN =
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}]--[ ]]/v;
/** The hidden characters except the newline, because newlines are expected between lines and inside indented JSON. */
const HIDDEN_IN_JSON = new RegExp(`[${HIDDEN.source}--[\\n]]`, 'gv');

/** Returns whether a text has hidden characters. */
export const hasHidden = (text: string) => HIDDEN.test(text);

/**
 * Replaces each hidden character except a newline by a `\u` escape. JSON text that is escaped like this parses to the
 * same value.
 */
export const escapeHidden = (json: string) =>
  json.replace(HIDDEN_IN_JSON, (hidden) =>
    hidden.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

/** Returns a value as JSON without hidden characters. */
export const quoted = (value: string | object) => escapeHidden(JSON.stringify(value));

/** Returns a stored value in a form that JSON can represent: a list for a set, and base64 text for bytes. */
export function jsonValue(value: unknown): unknown {
  if (value instanceof Set) return [...value].map(jsonValue);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Returns a count with its noun, such as `1 line` or `2 lines`. */
export const pluralize = (count: number, noun: string) =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
