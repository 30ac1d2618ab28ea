import { describe, expect, it } from 'vitest';
import { matches } from './pattern.ts';

// The examples of https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
// and eb-pipes-event-filtering.html.
const instance = {
  'detail-type': ['EC2 Instance State-change Notification'],
  resources: ['arn:aws:ec2:us-east-1:123456789012:instance/i-02ebd4584a2ebd341'],
  detail: { state: ['initializing', 'running'] },
};
const complex = {
  time: [{ prefix: '2017-10-02' }],
  detail: {
    state: [{ 'anything-but': 'initializing' }],
    'c-count': [{ numeric: ['>', 0, '<=', 5] }],
    'd-count': [{ numeric: ['<', 10] }],
    'x-limit': [{ 'anything-but': [100, 200, 300] }],
  },
};
const fitting = {
  time: '2017-10-02T18:43:48Z',
  detail: { state: 'running', 'c-count': 5, 'd-count': 9, 'x-limit': 150 },
};
const or = {
  Location: ['New York'],
  $or: [{ Day: ['Monday'] }, { Food: ['Pizza'] }],
};

describe('an event pattern', () => {
  it.each([
    ['that is empty', {}, instance],
    ['of a value', { state: ['running'] }, { state: 'running', other: 1 }],
    ['of several values', { state: ['stopped', 'running'] }, { state: 'running' }],
    ['of null', { UserID: [null] }, { UserID: null }],
    ['of an element of a list', { detail: { state: ['running'] } }, instance],
    ['of what does not exist', { detail: { 'c-count': [{ exists: false }] } }, instance],
    [
      'of what is no leaf, by exists',
      { detail: { 'c-count': [{ exists: false }] } },
      { detail: { 'c-count': { c1: 100 } } },
    ],
    ['of what exists', { detail: { state: [{ exists: true }] } }, instance],
    ['of several operators', complex, fitting],
    ['of one alternative', or, { Location: 'New York', Day: 'Monday' }],
    ['of the other', or, { Location: 'New York', Day: 'Friday', Food: 'Pizza' }],
  ])('matches the event %s', (_, pattern, event) => {
    expect(matches(pattern, event)).toBe(true);
  });

  it.each([
    ['of another value', { state: ['running'] }, { state: 'stopped' }],
    ['of a value of another type', { count: [7] }, { count: '7' }],
    ['without the member', { state: ['running'] }, {}],
    ['without the object', { detail: { state: ['running'] } }, { detail: 'running' }],
    ['with null for another value', { UserID: [null] }, { UserID: '' }],
    ['that has what should not exist', { state: [{ exists: false }] }, { state: 'x' }],
    ['that lacks what should exist', { detail: { state: [{ exists: true }] } }, { detail: {} }],
    ['that has an object for a leaf', { state: [{ exists: true }] }, { state: { x: 1 } }],
    ['that lacks what should be anything but', { state: [{ 'anything-but': 'x' }] }, {}],
    ['of what it should not be', { state: [{ 'anything-but': ['x', 'y'] }] }, { state: 'y' }],
    ['below a limit', complex, { ...fitting, detail: { ...fitting.detail, 'c-count': 0 } }],
    ['above a limit', complex, { ...fitting, detail: { ...fitting.detail, 'd-count': 10 } }],
    ['of another prefix', complex, { ...fitting, time: '2017-10-03T00:00:00Z' }],
    ['of no alternative', or, { Location: 'New York', Day: 'Friday' }],
    ['of an alternative alone', or, { Day: 'Monday' }],
  ])('does not match the event %s', (_, pattern, event) => {
    expect(matches(pattern, event)).toBe(false);
  });

  it.each([
    [{ state: 'running' }, 'neither a list nor an object'],
    [{ state: [{ wildcard: '*' }] }, 'The operator wildcard'],
    [{ state: [{ numeric: ['~', 1] }] }, 'The comparison ~'],
    [{ state: [{ prefix: 'a', suffix: 'b' }] }, 'one operator'],
  ])('is refused where it is none that is known: %j', (pattern, message) => {
    expect(() => matches(pattern, { state: 1 })).toThrow(message);
  });
});
