import { expect, it } from 'vitest';
import { type JobStatus, transitionPolicies } from '../../functions/domain/job.ts';
import { impossible, type JobInput, type JobOutput } from './races/history.ts';

const UNKNOWN = Number.POSITIVE_INFINITY;
/** The beginning and the end of an operation, and the version that the operation has written to the stream. */
type Times = [invoked: number, returned: number, made?: number];
type Row = [Times, JobInput, output?: JobOutput];

const set = (status: JobStatus, version?: number): JobInput => ({
  read: false,
  status,
  versions: version === undefined ? undefined : [version],
});
const read: JobInput = { read: true };
const done = (version: number): JobOutput => ({ outcome: 'set', version });
const stale = (version: number): JobOutput => ({ outcome: 'stale', version });
const seen = (status: JobStatus, version: number): JobOutput => ({
  outcome: 'read',
  status,
  version,
});
const refused: JobOutput = { outcome: 'refused', status: 'draft' };
const unchanged: JobOutput = { outcome: 'unchanged' };
const [published, closed] = [set('published'), set('closed')];
const before = [[1, 2], read, seen('draft', 1)] as Row;
const later = [[4, 5], read, seen('published', 2)] as Row;

it.each<[string, ...Row[]]>([
  ['a read of what was before', [[0, 0.5, 2], published, done(2)], before],
  ['a read of what comes later', later, [[6, 7, 2], published, done(2)]],
  ['a change that is not in the stream', [[1, 2], published, done(2)]],
  ['an unknown outcome before it began', later, [[6, UNKNOWN, 2], published]],
  ['a false 412', [[1, 2], set('published', 1), stale(1)]],
  ['a change that If-Match refused', [[1, 2, 2], set('published', 9), stale(1)]],
  ['a change with a stale If-Match', [[1, 2, 2], set('published', 9), done(2)]],
  ['a change that was said not to be made', [[1, 2, 2], published, unchanged]],
  ['a refusal of a move that is allowed', [[1, 2], published, refused]],
  ['a move that is not allowed', [[1, 2, 2], closed, done(2)]],
])('finds impossible: %s', (_, ...rows) => {
  expect(impossibleOf(rows)).toHaveLength(1);
});

/** Returns the operations on a draft that the checker finds impossible under the `lifecycle` policy. */
function impossibleOf(rows: readonly Row[]) {
  const history = rows.map(([[invoked, returned, version], input, output], at) => {
    return { input, output, invoked, returned, version, changeId: `${at}` };
  });
  const changes = history
    .filter(({ version }) => version !== undefined)
    .toSorted((one, other) => Number(one.version) - Number(other.version));
  const statuses = ['draft', ...changes.map(({ input }) => (input.read ? '' : input.status))];
  const states = statuses.map((status, at) => ({ status: status as JobStatus, version: at + 1 }));
  const made = new Map(changes.map(({ changeId, version }) => [changeId, Number(version)]));
  return impossible(history, { states, made }, transitionPolicies.lifecycle);
}
