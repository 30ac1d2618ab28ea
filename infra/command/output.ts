import { LongNumber } from '../../functions/domain/platform-json.ts';
import type { Output } from './run-command.ts';

export const clearOf = ({ isTTY }: Output) => (isTTY ? '\r\u001b[K' : '');

export function showProgress(output: Output, text: () => string) {
  const clear = clearOf(output);
  const timer = setInterval(
    () => {
      // The `\r` lets whatever prints next overwrite the text.
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
 * Resolves once the text is handed to the OS.
 * @throws the stream's error, such as EPIPE or a full disk.
 */
export const writeFully = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });

/**
 * Characters that are invisible or change how text is displayed. The last five look blank (such as the blank Braille
 * pattern), but no Unicode property says so.
 */
const HIDDEN =
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}]--[ ]]/v;
const HIDDEN_IN_JSON = new RegExp(`[${HIDDEN.source}--[\\n]]`, 'gv');

export const hasHidden = (text: string) => HIDDEN.test(text);

/** Escaped JSON still parses to the same value. */
export const escapeHidden = (json: string) =>
  json.replace(HIDDEN_IN_JSON, (hidden) =>
    hidden.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

export const quoted = (value: string | object) => escapeHidden(JSON.stringify(value));

/** Turns sets into lists, bytes into Base64, and numbers that a double cannot hold into text. */
export function jsonValue(value: unknown): unknown {
  if (value instanceof LongNumber) return String(value);
  if (value instanceof Set) return [...value].map(jsonValue);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

const list = new Intl.ListFormat('en-GB');

/** `a, b and c` */
export const listed = (parts: readonly string[]) => list.format(parts);

export const pluralize = (count: number, noun: string) =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
