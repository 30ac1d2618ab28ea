import { describe, expect, it } from 'vitest';
import { transitionPolicies } from '../../functions/domain/job.ts';
import { isLinearizable } from './races/linearizability.ts';
import { type JobInput, type JobOutput, statusRegister } from './races/status-register.ts';

const UNKNOWN = Number.POSITIVE_INFINITY;
type Row = [invoked: number, returned: number, input: JobInput, output?: JobOutput];

const set = (status: 'published' | 'closed' | 'draft', ...versions: number[]): JobInput => ({
  read: false,
  status,
  versions: versions.length > 0 ? versions : undefined,
});
const read: JobInput = { read: true };
const done = (version: number): JobOutput => ({ answer: 'set', version });
const stale = (version: number): JobOutput => ({ answer: 'stale', version });
const refused = (status: 'draft'): JobOutput => ({ answer: 'refused', status });
const unchanged: JobOutput = { answer: 'unchanged' };
const seen = (status: 'published' | 'closed' | 'draft', version: number): JobOutput => ({
  answer: 'read',
  status,
  version,
});

const possible: Record<string, Row[]> = {
  'nothing happens': [],
  'one change and its reading': [
    [1, 2, set('published'), done(2)],
    [3, 4, read, seen('published', 2)],
  ],
  'two at once, in either order': [
    [1, 4, set('closed'), done(3)],
    [2, 3, set('published'), done(2)],
  ],
  'a change that is none': [[1, 2, set('draft'), done(1)]],
  'one of two with the same If-Match': [
    [1, 3, set('published', 1), done(2)],
    [2, 4, set('closed', 1), stale(2)],
  ],
  'an unknown outcome that happened later': [
    [1, UNKNOWN, set('closed')],
    [2, 3, read, seen('draft', 1)],
    [4, 5, read, seen('closed', 2)],
  ],
  'an unknown outcome that never happened': [
    [1, UNKNOWN, set('closed')],
    [2, 3, set('published', 1), done(2)],
    [4, 5, read, seen('published', 2)],
  ],
  'a read during a change': [
    [1, 4, set('closed'), done(2)],
    [2, 3, read, seen('closed', 2)],
  ],
  'a refused move': [[1, 2, set('closed'), refused('draft')]],
  'an update that changed nothing': [
    [1, 2, set('closed'), unchanged],
    [3, 4, read, seen('draft', 1)],
  ],
};

const impossible: Record<string, Row[]> = {
  'a lost update': [
    [1, 2, set('published'), done(2)],
    [3, 4, read, seen('draft', 1)],
  ],
  'one version for two changes': [
    [1, 3, set('published'), done(2)],
    [2, 4, set('closed'), done(2)],
  ],
  'a version left out': [[1, 2, set('published'), done(3)]],
  'a change made twice': [
    [1, 2, set('published'), done(2)],
    [3, 4, set('closed'), done(3)],
    [5, 6, read, seen('published', 4)],
  ],
  'an unknown outcome that happened twice': [
    [1, UNKNOWN, set('closed')],
    [2, 3, read, seen('closed', 2)],
    [4, 5, set('published'), done(3)],
    [6, 7, read, seen('closed', 4)],
  ],
  'an unknown outcome that happened before it began': [
    [1, 2, read, seen('closed', 2)],
    [3, UNKNOWN, set('closed')],
  ],
  'a false 412': [[1, 2, set('published', 1), stale(1)]],
  'two winners with the same If-Match': [
    [1, 3, set('published', 1), done(2)],
    [2, 4, set('closed', 1), done(3)],
  ],
  'a read of what was before': [
    [1, 2, set('closed'), done(2)],
    [3, 4, set('published'), done(3)],
    [5, 6, read, seen('closed', 2)],
  ],
  'an update that was done although it changed nothing': [
    [1, 2, set('closed'), unchanged],
    [3, 4, read, seen('closed', 2)],
  ],
  'a refusal of a move that is allowed': [[1, 2, set('published'), refused('draft')]],
};

function verdictOn(rows: Row[], policy: keyof typeof transitionPolicies = 'any') {
  const history = rows.map(([invoked, returned, input, output]) => ({
    invoked,
    returned,
    input,
    output,
  }));
  const initial = { status: 'draft', version: 1 } as const;
  return isLinearizable(history, statusRegister(initial, transitionPolicies[policy], history));
}

describe('the checker of histories', () => {
  it.each(Object.entries(possible))('takes as possible: %s', (name, rows) => {
    expect(verdictOn(rows, name === 'a refused move' ? 'lifecycle' : 'any')).toBe(true);
  });

  it.each(Object.entries(impossible))('takes as impossible: %s', (_, rows) => {
    expect(verdictOn(rows)).toBe(false);
  });
});
