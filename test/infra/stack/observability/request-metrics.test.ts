import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROBED_JOB } from '../../../../infra/smoke/smoke-checks.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import type { TestIssuer } from '../../../support/issuer.ts';
import { applicationItem, jobItem } from '../../../support/items.ts';
import { loadFunctions, startProxiedService } from '../../../support/service.ts';
import { idOf, propertiesOf, templateOf } from '../../../support/stack.ts';
import { longLimits } from '../../../support/time.ts';

interface Filter {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string; Dimensions?: { Key: string; Value: string }[] }[];
}

const runbook = readFileSync('docs/runbooks/alarms.md', 'utf8');

const template = templateOf({ stage: 'prod' });
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter') as unknown as Filter[];

function filtersOf(name: 'GetApplication' | 'UpdateJobStatus'): Filter[] {
  const functions = template.findResources('AWS::Lambda::Function');
  const lambda = functions[idOf(template, 'AWS::Lambda::Function', name)];
  const { Ref: group } = lambda?.Properties.LoggingConfig.LogGroup ?? {};
  return filters.filter((it) => it.LogGroupName.Ref === group);
}

/**
 * Understands only the syntax that the stack's filters use, whose operators are JavaScript's. A missing member matches
 * nothing (CloudWatch Logs, filter patterns).
 */
function matches(pattern: string, line: Readonly<Record<string, unknown>>): boolean {
  const has = (name: string, operator: string, value: string) =>
    line[name] !== undefined && (value === '*' || (line[name] === value) === (operator === '='));
  const code = pattern
    .slice(1, -1)
    .replaceAll(/\$\.(\w+) IS TRUE/g, 'line.$1 === true')
    .replaceAll(/\$\.(\w+) ([<>])/g, 'line.$1 $2')
    .replaceAll(/\$\.(\w+) (!?=) ("[^"]*")/g, 'has("$1", "$2", $3)');
  return new Function('line', 'has', `return ${code}`)(line, has);
}

const scope = 'r/applications:read r/jobs:write';
const PROBED = 'unknown';
/** Milliseconds from one reading of the clock to the next. */
let step = 0;
let elapsed = 0;
const clock = () => {
  elapsed += step;
  return { date: Date.now(), monotonic: elapsed };
};
const service = await startProxiedService(
  { TENANT_CLAIM: 'org_id', SCOPE_PREFIX: 'r/' },
  { clock },
);

describe('the metrics of the log lines', () => {
  const refused = dynamoError(400, 'AccessDeniedException');

  type Claims = Record<string, unknown> | undefined;
  type Candidate = string | undefined;

  it.each<[string, Claims, Candidate, string[], fault?: Fault, step?: number]>([
    ['a read', { scope }, 'c-1', ['accepted_tokens']],
    ['an unknown application', { scope }, 'c-3', ['accepted_tokens']],
    ['invalid stored data', { scope }, 'c-2', ['failures', 'bugs', 'accepted_tokens']],
    [
      'an unexpected error',
      { scope },
      'c-1',
      ['failures', 'failures_by_version', 'bugs', 'accepted_tokens'],
      refused,
    ],
    [
      'a database that is down',
      { scope },
      'c-1',
      ['failures', 'failures_by_version', 'accepted_tokens'],
      'reset',
    ],
    ['a token for another audience', { scope, aud: 'other' }, 'c-1', ['rejected_tokens']],
    ['a token of another issuer', { scope, iss: 'https://a.example' }, 'c-1', ['rejected_tokens']],
    ['a token without the scope', { scope: 'applications:read' }, 'c-1', ['rejected_tokens']],
    ['a token without a tenant', { scope, org_id: undefined }, 'c-1', ['rejected_tokens']],
    ['an expired token', { scope, exp: 1 }, 'c-1', []],
    ['the probe', { scope: 'r/probe', org_id: undefined }, PROBED, []],
    ['no token', undefined, 'c-1', []],
    ['a status change', { scope }, undefined, ['accepted_tokens', 'status_changes']],
    ['a slow read', { scope }, 'c-1', ['accepted_tokens', 'slow_responses'], 'none', 1001],
    [
      'a slow failure',
      { scope },
      'c-1',
      ['failures', 'failures_by_version', 'accepted_tokens'],
      'reset',
      1001,
    ],
    ['a slow refusal', { scope: 'r/none' }, 'c-1', ['rejected_tokens'], 'none', 1001],
  ])('count %s', async (_, claims, candidate, metrics, fault = 'none', between = 0) => {
    step = between;
    const tenant = 't';
    await service.table.put(applicationItem({ tenant, candidate: 'c-1' }));
    await service.table.put({ ...applicationItem({ tenant, candidate: 'c-2' }), name: 1 });
    await service.table.put(jobItem({ tenant }));
    const token = claims && (await service.issuer.mint({ org_id: tenant, ...claims }));
    service.proxy.expect(fault);
    if (candidate === undefined) await service.updateJobStatus({ token });
    else
      await service.getApplication({
        token,
        pathParameters: { id: candidate === PROBED ? PROBED_JOB : 'j-1', candidate_id: candidate },
      });
    const line = Object(service.log.lines.at(-1));
    const name = candidate === undefined ? 'UpdateJobStatus' : 'GetApplication';
    const counting = filtersOf(name).filter((it) => matches(it.FilterPattern, line));
    for (const { MetricTransformations: made } of counting)
      for (const { Key, Value } of made[0]?.Dimensions ?? []) {
        expect(Value).toBe(`$.${Key}`);
        expect(line).toHaveProperty(Key);
      }
    const names = counting.map((it) => it.MetricTransformations[0]?.MetricName);
    expect(names.filter((it) => it !== 'cold_starts')).toEqual(metrics);
  });
});

describe('the log lines of an outage', async () => {
  const outage = await startProxiedService();
  const [, query = ''] =
    /```\n(fields [^`]*filter outcome = "unavailable"[^`]*)```/.exec(runbook) ?? [];
  const fields = query.match(/failure[.\w]*/g) ?? [];
  const [causes = ''] =
    /^## The issuer does not respond$[\s\S]*^## throttled-requests$/m.exec(runbook) ?? [];
  const words = causes.match(/(?<=`)(?:Problem|\w*Error|\w+Exception|E[A-Z]+)(?=`)/g) ?? [];

  const ofIssuer: Readonly<Record<string, TestIssuer['behaviour']>> = {
    TimeoutError: 'slow',
    ECONNRESET: 'down',
    SyntaxError: (response) => response.end('not JSON'),
    Problem: (response) => response.writeHead(500).end(),
  };
  const ofDatabase: Readonly<Record<string, Fault>> = {
    ThrottlingException: dynamoError(400, 'ThrottlingException'),
    InternalServerError: dynamoError(500, 'InternalServerError'),
    NoResponseError: 'reset',
  };

  it('have the fields and the words by which the runbook tells causes apart', async () => {
    const outages = [...Object.keys(ofIssuer), ...Object.keys(ofDatabase)];
    expect(words.toSorted()).toEqual(outages.toSorted());
    const found = new Set<string>();
    for (const word of outages) {
      outage.issuer.behaviour = ofIssuer[word] ?? 'up';
      outage.proxy.expect(ofDatabase[word] ?? 'none');
      const limits = { ...longLimits, ...(word === 'TimeoutError' && { issuer: 50 }) };
      const options = { ...outage.options, limits };
      await (await loadFunctions({ ...outage, options })).getApplication();
      const line = outage.log.lines.at(-1);
      expect(line).toMatchObject({ outcome: 'unavailable' });
      const values = fields.map((field) =>
        field.split('.').reduce((it: unknown, name) => Object(it)[name], line),
      );
      expect(values).toContain(word);
      expect(values).toContainEqual(
        expect.stringContaining(word in ofIssuer ? 'token issuer' : 'database'),
      );
      for (const field of fields.filter((_, nth) => values[nth] !== undefined)) found.add(field);
    }
    expect([...found].toSorted()).toEqual(fields.toSorted());
  });
});
