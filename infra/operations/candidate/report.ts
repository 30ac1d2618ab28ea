import type { Erased } from './erase-candidate.ts';

/** How many jobs are named before an erasure; of more, the rest is counted. */
const MOST_NAMED = 20;
const CHECK = 'Check the tenant and the id';

/** An id between quotes: it may hold anything but control characters. */
export function quoted(id: string): string {
  return JSON.stringify(id);
}

/** What an erasure would find, for the operator to judge: how many applications, and to which jobs. */
export function foundText(jobs: readonly string[]): string {
  if (jobs.length === 0) return `No application was found. ${CHECK}.`;
  const named = jobs.slice(0, MOST_NAMED).map(quoted).join(', ');
  const others = jobs.length > MOST_NAMED ? ` and ${jobs.length - MOST_NAMED} more` : '';
  return `Found: ${jobs.length} ${jobs.length === 1 ? 'application' : 'applications'}, to ${named}${others}.`;
}

/** What has come of an erasure. An id that is mistyped must not read as one that is erased. */
export function endOf({ removed, anonymised }: Erased): string {
  if (removed + anonymised > 0) {
    return `${removed} applications removed, ${anonymised} anonymised, nothing left`;
  }
  return `no application was found. ${CHECK}, unless an earlier run has erased them: it leaves none`;
}
