import { beforeAll, beforeEach, vi } from 'vitest';
import type { Log } from '../../functions/platform/log.ts';

/** The log of the functions during one test. */
export interface CapturedLog {
  /** Adds a record of a function. */
  write: Log;
  /** The whole text that was written. */
  readonly text: string;
  /** The parsed lines. */
  readonly lines: Record<string, unknown>[];
  /** Returns and removes the lines so far. Tests with very many requests use it to save memory. */
  take(): Record<string, unknown>[];
}

/** Collects the log of each test's functions for the test. */
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

/** Collects each test's standard output likewise. */
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
