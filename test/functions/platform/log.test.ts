import { describe, expect, it } from 'vitest';
import { internal } from '../../../functions/contract/problem.ts';
import { describeFailure, writeLine } from '../../../functions/platform/log.ts';
import { captureLog } from '../../support/log.ts';

const SECRET = 'ana@example.com';

describe('the description of a failure', () => {
  it('has the name, code, detail and stack frames of a problem', () => {
    const failure = describeFailure(internal('A failure.'));
    expect(failure).toEqual({
      name: 'Problem',
      code: 'internal',
      detail: 'A failure.',
      stack: expect.arrayContaining([expect.stringContaining('log.test.ts')]),
    });
  });

  it('leaves out the message of a library error, which may quote its input', () => {
    const failure = describeFailure(new TypeError(`cannot read ${SECRET}\nof ${SECRET}`));
    expect(failure.name).toBe('TypeError');
    expect(failure.stack[0]).toContain('log.test.ts');
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });

  it('has the message of every error if the log is for a developer', () => {
    const error = new Error('The handler failed.', { cause: new TypeError('boom') });
    expect(describeFailure(error, true)).toMatchObject({
      detail: 'The handler failed.',
      cause: { detail: 'boom' },
    });
  });

  it('has a name and a code only if they are plain identifiers', () => {
    const described = (members: object) =>
      describeFailure(Object.assign(new Error('read'), members));
    expect(described({ code: 'ECONNRESET' }).code).toBe('ECONNRESET');
    for (const code of [{ of: SECRET }, 404, `E ${SECRET}`]) {
      expect(described({ code })).not.toHaveProperty('code');
    }
    expect(described({ name: SECRET }).name).toBe('Error');
  });

  /** As if the message changed after the throw: the stack still contains the original message. */
  const changed = (error: Error, message: string) =>
    Object.assign(error, { stack: error.stack, message });

  it.each([
    ['that looks like a stack', undefined],
    ['that was changed after it was thrown', 'changed'],
    ['that was shortened after it was thrown', 'bad'],
    ['that was emptied after it was thrown', ''],
  ])('leaves out a message %s', (_, message) => {
    const error = new Error(`bad\n    at ${SECRET}`);
    if (message !== undefined) changed(error, message);
    expect(JSON.stringify(describeFailure(error))).not.toContain(SECRET);
  });

  it('leaves out a message that looks exactly like a stack frame', () => {
    const failure = describeFailure(new Error(`bad\n    at /home/${SECRET}:1:2`));
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });

  it('leaves out a stack without the message, because the first frame cannot be found', () => {
    const error = changed(new Error(`bad\n    at /home/${SECRET}:1:2`), 'changed');
    expect(describeFailure(error).stack).toEqual([]);
  });

  it.each([
    '    at handler (file:///var/task/index.mjs:1:2345)',
    '    at file:///var/task/index.mjs:1:2345',
    '    at async Runtime.handleOnce [as run] (/var/runtime/index.mjs:1173:29)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)',
    '    at JSON.parse (<anonymous>)',
    '    at async Promise.all (index 12)',
    '    at Store.#read (/var/task/index.mjs:3:4)',
  ])('keeps each kind of line of a stack: %s', (frame) => {
    const error = Object.assign(new Error('bad'), { stack: `Error: bad\n${frame}` });
    expect(describeFailure(error).stack).toEqual([frame]);
  });

  it.each([
    ['before', `${SECRET}    at /var/task/index.mjs:1:2`],
    ['after', `    at /var/task/index.mjs:1:2 ${SECRET}`],
  ])('keeps no line with something %s what a stack has', (_, line) => {
    const error = Object.assign(new Error('bad'), { stack: `Error: bad\n${line}` });
    expect(describeFailure(error).stack).toEqual([]);
  });

  it("has AWS's id of the request if AWS has responded", () => {
    const idOf = ($metadata: unknown) =>
      describeFailure(Object.assign(new Error('read'), { $metadata })).aws_request_id;
    for (const requestId of ['ABC123', '6ba7b810-9dad-11d1-80b4-00c04fd430c8']) {
      expect(idOf({ requestId })).toBe(requestId);
    }
    const others = [{ requestId: SECRET }, { attempts: 3 }, null];
    expect(others.map(idOf)).toEqual([undefined, undefined, undefined]);
  });

  it('has the causes, without their messages', () => {
    const cause = new SyntaxError(SECRET, { cause: new RangeError(SECRET) });
    const failure = describeFailure(internal('A failure.', cause));
    expect(failure.cause?.name).toBe('SyntaxError');
    expect(failure.cause?.cause?.name).toBe('RangeError');
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });

  it('is finite even if an error is its own cause', () => {
    const error = new Error('endless');
    error.cause = error;
    const depthOf = (failure: { cause?: unknown }): number =>
      failure.cause === undefined ? 0 : 1 + depthOf(failure.cause as { cause?: unknown });
    expect(depthOf(describeFailure(error))).toBe(5);
  });

  it('has only the type of a thrown value that is not an error', () => {
    expect(describeFailure(SECRET)).toEqual({ name: 'string', stack: [] });
    expect(describeFailure(undefined)).toEqual({ name: 'undefined', stack: [] });
    const bare = Object.assign(new Error('bare'), { stack: undefined });
    expect(describeFailure(bare)).toEqual({ name: 'Error', stack: [] });
  });
});

describe('the log', () => {
  const captured = captureLog();

  it('has one line of JSON for each record, whatever its strings contain', () => {
    const record = {
      level: 'INFO',
      timestamp: '',
      operation: 'read',
      function_version: '1',
    } as const;
    const records = [
      { ...record, outcome: 'ok', job_id: 'a\nb"c' },
      { ...record, outcome: 'internal' },
    ] as const;
    for (const one of records) writeLine(one);
    expect(captured.text.split('\n')).toHaveLength(3);
    expect(captured.lines).toEqual(records);
  });
});
