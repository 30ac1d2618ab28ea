import { describe, expect, it } from 'vitest';
import { matches, render } from './eventbridge.ts';

// After the examples of https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
// and eb-pipes-input-transformation.html.
describe('the interpreter of event patterns', () => {
  it.each([
    ['an empty pattern', {}, { state: 'running' }],
    ['one of several values', { state: ['stopped', 'running'] }, { state: 'running', other: 'x' }],
    ['what exists', { detail: { state: [{ exists: true }] } }, { detail: { state: 'x' } }],
    ['what does not exist', { detail: { state: [{ exists: false }] } }, { detail: {} }],
  ])('matches %s', (_, pattern, event) => {
    expect(matches(pattern, event)).toBe(true);
  });

  it.each([
    ['another value', { state: ['running'] }, { state: 'stopped' }],
    ['no member', { state: ['running'] }, {}],
    ['no object', { detail: { state: ['running'] } }, { detail: 'running' }],
    ['what should not exist', { state: [{ exists: false }] }, { state: 'x' }],
    ['an object for a leaf', { state: [{ exists: true }] }, { state: { x: 'y' } }],
  ])('does not match %s', (_, pattern, event) => {
    expect(matches(pattern, event)).toBe(false);
  });

  it.each([{ state: 'x' }, { state: [{ prefix: 'x' }] }, { $or: [{ a: ['x'] }] }])(
    'rejects what it does not know: %j',
    (pattern) => {
      expect(() => matches(pattern, { state: 'x' })).toThrow();
    },
  );
});

describe('the interpreter of input templates', () => {
  it('inserts values as JSON, and nothing for a path that leads nowhere', () => {
    const event = { a: { S: 'x"<$.b>' }, b: { N: '1' } };
    expect(render('{"a": <$.a.S>, "b": <$.b.N>, "c": <$.c.S>}', event)).toBe(
      '{"a": "x\\"<$.b>", "b": "1", "c": }',
    );
  });

  it('rejects what it does not know', () => {
    expect(() => render('{"a": "<$.a>"}', {})).toThrow('not supported');
    expect(() => render('{"a": <aws.pipes.pipe-name>}', {})).toThrow('not supported');
  });
});
