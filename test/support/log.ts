import { beforeAll, beforeEach, vi } from 'vitest';
import type { Log } from '../../functions/platform/log.ts';

export interface CapturedLog {
  write: Log;
  readonly text: string;
  readonly lines: Record<string, unknown>[];
  /** Returns the lines and forgets them, to save memory after very many requests. */
  take(): Record<string, unknown>[];
}

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
