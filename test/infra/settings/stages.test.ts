import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  concurrencyFor,
  type Stage,
  stageNames,
  stages,
  type Throttle,
  TIMEOUT_S,
} from '../../../infra/settings/stages.ts';
import { appOf, propertiesOf, stackOf, templateOf } from '../../support/stack.ts';

/** The most requests in progress if each takes as long as it can and as many come as the bucket admits. */
function mostInProgress({ requestsPerSecond: rate, burst }: Throttle): number {
  // A start of 2 s, and the time-out.
  const duration = 2 + TIMEOUT_S;
  const step = 1 / (rate * 8);
  const ends: number[] = [];
  let [tokens, most] = [burst, 0];
  for (let now = 0; now < duration * 4; now += step) {
    while (ends[0] !== undefined && ends[0] <= now) ends.shift();
    for (; tokens >= 1; tokens -= 1) ends.push(now + duration);
    most = Math.max(most, ends.length);
    tokens = Math.min(burst, tokens + rate * step);
  }
  return most;
}

describe.each(stageNames)('the stage %s', (name) => {
  const stage: Stage = stages[name];

  it('reserves no concurrency, or as much as its throttle admits', () => {
    expect([undefined, concurrencyFor(stage.throttle)]).toContain(stage.reservedConcurrency);
  });

  it('keeps its data and logs as the table of stages says', () => {
    const template = templateOf({ stage: name });
    const policy = stage.keepsData ? 'Retain' : 'Delete';
    for (const type of ['DynamoDB::Table', 'KMS::Key', 'Cognito::UserPool']) {
      template.allResources(`AWS::${type}`, {
        DeletionPolicy: policy,
        UpdateReplacePolicy: policy,
      });
    }
    const parts = ['UserPoolDomain', 'UserPoolClient', 'UserPoolResourceServer'];
    for (const type of [
      'Logs::LogGroup',
      'SQS::Queue',
      ...parts.map((part) => `Cognito::${part}`),
    ]) {
      template.allResources(`AWS::${type}`, {
        DeletionPolicy: stage.keepsData ? 'RetainExceptOnCreate' : 'Delete',
        UpdateReplacePolicy: policy,
      });
    }
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      DeletionProtectionEnabled: stage.keepsData,
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: stage.logRetention });
    template.allResourcesProperties('AWS::Events::Archive', {
      RetentionDays: stage.eventRetention.toDays(),
    });
  });

  it('is tagged, and protected from deletion if it keeps its data', () => {
    const stack = stackOf(appOf({ stage: name }));
    expect(stack.terminationProtection).toBe(stage.keepsData);
    expect(stack.tags.tagValues()).toEqual({ service: 'recruitment', stage: name });
  });

  it('has alarms over whole periods that CloudWatch accepts', () => {
    const { alarms } = stage;
    expect(alarms.eventAgeMinutes % 5).toBe(0);
    expect(alarms.periodsOver).toBeLessThanOrEqual(alarms.periods);
    // All periods of an alarm together are a day at most.
    expect(alarms.periods * alarms.periodMinutes).toBeLessThanOrEqual(24 * 60);
  });

  it('is documented', () => {
    const page = readFileSync('docs/deployment.md', 'utf8');
    const { requestsPerSecond, burst } = stage.throttle;
    const row = [
      `\`${name}\``,
      requestsPerSecond,
      burst,
      concurrencyFor(stage.throttle),
      `${stage.logRetention} days`,
      `${stage.eventRetention.toDays()} days`,
      stage.keepsData ? 'kept' : 'deleted with the stack',
      stage.rollOut,
    ].join(' | ');
    expect(page).toContain(`\n| ${row} |\n`);
  });
});

describe('concurrency', () => {
  it.each([
    { requestsPerSecond: 1, burst: 1 },
    { requestsPerSecond: 5, burst: 10 },
    { requestsPerSecond: 30, burst: 60 },
    { requestsPerSecond: 100, burst: 20 },
  ])(
    'for $requestsPerSecond requests a second and a burst of $burst is enough and no more',
    (throttle) => {
      const most = mostInProgress(throttle);
      expect(concurrencyFor(throttle)).toBeGreaterThanOrEqual(most);
      expect(concurrencyFor(throttle)).toBeLessThanOrEqual(most + 1);
    },
  );

  it('is neither reserved nor provisioned by default, so that a new account can deploy any stage', () => {
    for (const stage of stageNames) {
      const template = templateOf({ stage });
      for (const properties of propertiesOf(template, 'AWS::Lambda::Function')) {
        expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
      }
      for (const properties of propertiesOf(template, 'AWS::Lambda::Alias')) {
        expect(properties).not.toHaveProperty('ProvisionedConcurrencyConfig');
      }
    }
  });
});
