import { describe, expect, it } from 'vitest';
import { Problem } from '../../../functions/domain/problem.ts';
import { describeFailure, log } from '../../../functions/runtime/logger.ts';
import { captureLog } from '../../support/log.ts';

const isOurs = (error: Error) => error instanceof Problem;
const SECRET = 'ana@example.com';

describe('the description of a failure', () => {
  it('has the name, the code, the words and the place of an error of ours', () => {
    const failure = describeFailure(new Problem('internal', 'A stored job is wrong.'), isOurs);
    expect(failure).toEqual({
      name: 'Problem',
      code: 'internal',
      detail: 'A stored job is wrong.',
      stack: expect.arrayContaining([expect.stringContaining('logger.test.ts')]),
    });
  });

  it('leaves out the message of other errors, which may quote what they choked on', () => {
    const failure = describeFailure(new TypeError(`cannot read ${SECRET}\nof ${SECRET}`), isOurs);
    expect(failure.name).toBe('TypeError');
    expect(failure.stack[0]).toContain('logger.test.ts');
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });

  it('has the code of a system error, if it is a word', () => {
    const error = Object.assign(new Error('read'), { code: 'ECONNRESET' });
    expect(describeFailure(error, isOurs).code).toBe('ECONNRESET');
    const numbered = Object.assign(new Error('read'), { code: { of: SECRET } });
    expect(describeFailure(numbered, isOurs)).not.toHaveProperty('code');
  });

  it.each([
    ['that looks like a stack', `bad\n    at ${SECRET}`],
    ['that was changed after it was thrown', undefined],
  ])('leaves out a message %s', (_, message) => {
    const error = new Error(message ?? `bad\n    at ${SECRET}`);
    if (message === undefined) error.message = 'changed';
    expect(JSON.stringify(describeFailure(error, isOurs))).not.toContain(SECRET);
  });

  it('leaves out a name or a code that is no word, which an answer may have put there', () => {
    const error = Object.assign(new Error('read'), { name: SECRET, code: `E ${SECRET}` });
    const failure = describeFailure(error, isOurs);
    expect(failure.name).toBe('Error');
    expect(failure).not.toHaveProperty('code');
  });

  it("has AWS's own id of the request, if AWS has answered it", () => {
    const answered = Object.assign(new Error('read'), { $metadata: { requestId: 'ABC123' } });
    expect(describeFailure(answered, isOurs).aws_request_id).toBe('ABC123');
    const unanswered = Object.assign(new Error('read'), { $metadata: { attempts: 3 } });
    expect(describeFailure(unanswered, isOurs)).not.toHaveProperty('aws_request_id');
    const empty = Object.assign(new Error('read'), { $metadata: null });
    expect(describeFailure(empty, isOurs)).not.toHaveProperty('aws_request_id');
  });

  it('has the causes too, without their messages', () => {
    const cause = new SyntaxError(SECRET, { cause: new RangeError(SECRET) });
    const failure = describeFailure(new Problem('unavailable', 'Later.', { cause }), isOurs);
    expect(failure.cause?.name).toBe('SyntaxError');
    expect(failure.cause?.cause?.name).toBe('RangeError');
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });

  it('ends, even where an error is its own cause', () => {
    const error = new Error('endless');
    error.cause = error;
    const depthOf = (failure: { cause?: unknown }): number =>
      failure.cause === undefined ? 0 : 1 + depthOf(failure.cause as { cause?: unknown });
    expect(depthOf(describeFailure(error, isOurs))).toBe(5);
  });

  it('says of what is no error only of which type it is', () => {
    expect(describeFailure(SECRET, isOurs)).toEqual({ name: 'string', stack: [] });
    expect(describeFailure(undefined, isOurs)).toEqual({ name: 'undefined', stack: [] });
  });

  it('does without a stack', () => {
    const error = new Error('bare');
    delete error.stack;
    expect(describeFailure(error, isOurs)).toEqual({ name: 'Error', stack: [] });
  });
});

describe('the log', () => {
  const captured = captureLog();

  it('is one line of JSON for each record, whatever its strings hold', () => {
    log({ outcome: 'ok', job_id: 'a\nb"c' });
    log({ outcome: 'internal' });
    expect(captured.text.split('\n')).toHaveLength(3);
    expect(captured.lines).toEqual([{ outcome: 'ok', job_id: 'a\nb"c' }, { outcome: 'internal' }]);
  });
});
