type Item = Record<string, unknown>;

/** The 19 fields of the answer, of a stored item. */
export const applicationOf = (item: Item): Item => ({
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
});

/** Whether an item has outlived its time, and only has not been deleted yet. */
export const isExpired = ({ expires_at: end }: Item) =>
  typeof end === 'number' && end <= Date.now() / 1000;

export const applicationKey = (job: string, candidate: string) => ({
  pk: `TENANT#default#JOB#${encodeURIComponent(job)}`,
  sk: `APPLICATION#${encodeURIComponent(candidate)}`,
});

export const jobKey = (job: string) => ({
  pk: `TENANT#default#JOB#${encodeURIComponent(job)}`,
  sk: 'JOB',
});

/** The update of a job's status, without its key and its values. */
export const statusUpdate = {
  UpdateExpression:
    'SET #status = :status, previous_status = #status, version = version + :one, ' +
    'status_changed_at = :now, status_changed_by = :actor, last_change_actor = :actor, ' +
    'last_change_id = :change',
  ConditionExpression: 'attribute_exists(pk) AND #status <> :status',
  ExpressionAttributeNames: { '#status': 'status' },
} as const;

/** Its values, in DynamoDB's form. */
export const statusValues = (status: string, actor: string, changeId: string) => ({
  ':status': { S: status },
  ':one': { N: '1' },
  ':now': { S: new Date().toISOString() },
  ':actor': { S: actor },
  ':change': { S: changeId },
});
