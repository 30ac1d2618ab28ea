import { beforeAll, beforeEach, vi } from 'vitest';
import type { Log } from '../../functions/runtime/logger.ts';

/** The log of the functions during one test. */
export interface CapturedLog {
  /** Takes a record of a function. */
  write: Log;
  /** Everything that was written. */
  readonly text: string;
  /** The lines, parsed. */
  readonly lines: Record<string, unknown>[];
  /** The lines since they were last taken, for tests of so many requests that all are too many. */
  take(): Record<string, unknown>[];
}

/** Keeps what each test's functions log, and gives it to the test. */
export function keepLog(): CapturedLog & { add(text: string): void } {
  let text = '';
  beforeEach(() => {
    text = '';
  });
  const add = (more: string) => {
    text += more;
  };
  return {
    add,
    write: (record) => add(`${JSON.stringify(record)}\n`),
    get text() {
      return text;
    },
    get lines() {
      return parsed(text);
    },
    take() {
      const taken = text;
      text = '';
      return parsed(taken);
    },
  };
}

/** Keeps what is written to standard output likewise. */
export function captureLog(): CapturedLog {
  const log = keepLog();
  beforeAll(() => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      log.add(String(chunk));
      return true;
    });
    return () => write.mockRestore();
  });
  return log;
}

const parsed = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));
