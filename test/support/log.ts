import { beforeAll, beforeEach, vi } from 'vitest';

/** The log of the functions during one test. */
export interface CapturedLog {
  /** Everything that was written to standard output. */
  readonly text: string;
  /** The lines, parsed. */
  readonly lines: Record<string, unknown>[];
  /** The lines since they were last taken, for tests of so many requests that all are too many. */
  take(): Record<string, unknown>[];
}

/** Keeps what each test's functions write to standard output, and gives it to the test. */
export function captureLog(): CapturedLog {
  let text = '';
  beforeAll(() => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      text += chunk;
      return true;
    });
    return () => write.mockRestore();
  });
  beforeEach(() => {
    text = '';
  });
  return {
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

const parsed = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));
