import { describe, expect, it } from 'vitest';
import { applicationItem, jobItem } from '../../support/items.ts';
import { startService } from '../../support/service.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';
import { type Filter, matches } from './observability/recorded.ts';

const filters = propertiesOf(
  templateOf({ stage: 'prod' }),
  'AWS::Logs::MetricFilter',
) as unknown as Filter[];

describe('the metrics of the log lines', async () => {
  const service = await startService({ TENANT_CLAIM: 'org_id', SCOPE_PREFIX: 'r/' });
  const scope = 'r/applications:read r/jobs:write';

  it.each([
    ['a read', { scope }, 'c-1', ['accepted_tokens']],
    ['an unknown application', { scope }, 'c-3', ['accepted_tokens']],
    ['invalid stored data', { scope }, 'c-2', ['failures', 'accepted_tokens']],
    ['a token for another audience', { scope, aud: 'other' }, 'c-1', ['rejected_tokens']],
    ['a token of another issuer', { scope, iss: 'https://a.example' }, 'c-1', ['rejected_tokens']],
    ['a token without the scope', { scope: 'applications:read' }, 'c-1', ['rejected_tokens']],
    ['a token without a tenant', { scope, org_id: undefined }, 'c-1', ['rejected_tokens']],
    ['no token', undefined, 'c-1', []],
    ['a status change', { scope }, undefined, ['accepted_tokens', 'status_changes']],
  ])('count %s', async (_, claims, candidate, metrics) => {
    const tenant = 't';
    await service.table.put(applicationItem({ tenant, candidate: 'c-1' }));
    await service.table.put({ ...applicationItem({ tenant, candidate: 'c-2' }), name: 1 });
    await service.table.put(jobItem({ tenant }));
    const token = claims && (await service.issuer.mint({ org_id: tenant, ...claims }));
    if (candidate === undefined) await service.updateJobStatus({ token });
    else
      await service.getApplication({
        token,
        pathParameters: { id: 'j-1', candidate_id: candidate },
      });
    const line = Object(service.log.lines.at(-1));
    const counting = filters.filter((it) => matches(it.FilterPattern, line));
    const names = new Set(counting.map((it) => it.MetricTransformations[0]?.MetricName));
    names.delete('cold_starts');
    expect([...names]).toEqual(metrics);
  });
});
