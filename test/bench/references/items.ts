import { Rejected, variable } from './http.ts';

type Item = Record<string, unknown>;

/**
 * The 19 fields of an application, from a stored item.
 * @throws Rejected if there is none, or if it has expired and is not deleted yet.
 */
export function applicationOf(item: Item | undefined): Item {
  if (item === undefined || isExpired(item)) throw new Rejected(404, 'There is no application.');
  return {
    user_id: item.user_id,
    name: item.name,
    email: item.email,
    phone: item.phone ?? null,
    linked_in: item.linked_in ?? null,
    city: item.city ?? null,
    region: item.region ?? null,
    country: item.country ?? null,
    summary: item.summary ?? null,
    position: item.position ?? null,
    education: item.education ?? [],
    experience: item.experience ?? [],
    stage_id: item.stage_id,
    stage_title: item.stage_title,
    score: item.score ?? null,
    created_at: item.created_at,
    resume_url: item.resume_url ?? null,
    video_url: item.video_url ?? null,
    evaluations: item.evaluations ?? [],
  };
}

const isExpired = ({ expires_at: end }: Item) =>
  typeof end === 'number' && end <= Date.now() / 1000;

/** The input of GetItem that reads an application. */
export const applicationRead = (job: string, candidate: string) => ({
  TableName: variable('TABLE_NAME'),
  Key: {
    pk: { S: `TENANT#default#JOB#${encodeURIComponent(job)}` },
    sk: { S: `APPLICATION#${encodeURIComponent(candidate)}` },
  },
});

/** A change of a job's status. */
export interface StatusChange {
  job: string;
  status: string;
  actor: string;
  changeId: string;
}

/** The input of UpdateItem that sets a job's status. */
export const statusUpdate = ({ job, status, actor, changeId }: StatusChange) =>
  ({
    TableName: variable('TABLE_NAME'),
    Key: { pk: { S: `TENANT#default#JOB#${encodeURIComponent(job)}` }, sk: { S: 'JOB' } },
    UpdateExpression:
      'SET #status = :status, previous_status = #status, version = version + :one, ' +
      'status_changed_at = :now, status_changed_by = :actor, last_change_actor = :actor, ' +
      'last_change_id = :change',
    ConditionExpression: 'attribute_exists(pk) AND #status <> :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':status': { S: status },
      ':one': { N: '1' },
      ':now': { S: new Date().toISOString() },
      ':actor': { S: actor },
      ':change': { S: changeId },
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }) as const;
