import { randomUUID } from 'node:crypto';
import { isTimestamp } from '../../../functions/domain/timestamp.ts';
import { applicationKey, jobOf, type Key } from '../../../functions/store/keys.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the contract never leaves null, in place of a person's. No mail can reach `.invalid` (RFC 2606). */
const NOBODY = { name: 'Erased', email: 'erased@erased.invalid' } as const;

/** What of an application is kept for statistics. */
export const KEPT = ['stage_id', 'stage_title', 'score', 'created_at', 'expires_at'] as const;

type Item = Readonly<Record<string, unknown>>;

/**
 * What is left of an application when the person is taken out of it: the job, the stage, the score
 * and the day, under a random id. The candidate's id does not stay, nor a key made of it: whoever
 * knows the id would know the person (GDPR, recital 26). The times are those of the day's beginning,
 * because a time in milliseconds finds a person in other records. It is not in the index.
 * @returns undefined where what is to be kept does not fit the contract.
 */
export function anonymous(tenant: string, key: Key, item: Item): Item | undefined {
  const { stage_id, stage_title, score, created_at, expires_at } = item;
  if (typeof stage_id !== 'string' || typeof stage_title !== 'string') return undefined;
  if (typeof created_at !== 'string' || !isTimestamp(created_at)) return undefined;
  const user_id = randomUUID();
  return {
    ...applicationKey(tenant, jobOf(key), user_id),
    tenant_id: tenant,
    job_id: jobOf(key),
    user_id,
    ...NOBODY,
    stage_id,
    stage_title,
    ...(typeof score === 'number' && { score }),
    created_at: new Date(dayOf(Date.parse(created_at))).toISOString(),
    ...(typeof expires_at === 'number' && { expires_at: dayOf(expires_at * 1000) / 1000 }),
  };
}

/** The beginning of the day, in UTC; both in milliseconds since the epoch. */
const dayOf = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;
