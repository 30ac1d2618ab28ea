import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { START_S } from '../../../infra/settings/concurrency.ts';
import { type StageName, stageNames, stages } from '../../../infra/settings/stages.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

/** Lambda's default quota of concurrent executions, of which it keeps 100 unreserved. */
const QUOTA = 1000;
const UNRESERVED = 100;

const templates = new Map(stageNames.map((stage) => [stage, templateOf({ stage })]));

const templateOfStage = (stage: string) => {
  const template = templates.get(stage);
  if (template === undefined) throw new Error(`${stage} is no stage.`);
  return template;
};

const functionsOf = (stage: string) =>
  propertiesOf(templateOfStage(stage), 'AWS::Lambda::Function').map((properties) => ({
    reserved: Number(properties.ReservedConcurrentExecutions),
    timeout: Number(properties.Timeout),
  }));

const bucketOf = (stage: string) => {
  const [{ DefaultRouteSettings: settings } = {}] = propertiesOf(
    templateOfStage(stage),
    'AWS::ApiGatewayV2::Stage',
  );
  const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = settings as Record<
    string,
    number
  >;
  return { rate: Number(rate), burst: Number(burst) };
};

/** The most requests under way, where each takes `duration` seconds and all come that the bucket lets in. */
function mostUnderWay({ rate, burst }: { rate: number; burst: number }, duration: number): number {
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

describe.each(stageNames)('%s', (stage) => {
  it('throttles before Lambda runs out of concurrency, even where each request starts slowly and times out', () => {
    for (const { reserved, timeout } of functionsOf(stage)) {
      const most = mostUnderWay(bucketOf(stage), START_S + timeout);
      expect(most).toBeLessThanOrEqual(reserved);
      // Not much more either: it would be taken from the account's other functions.
      expect(reserved).toBeLessThanOrEqual(most + 1);
    }
  });

  it('has no more environments that wait than it has reserved', () => {
    const { provisionedConcurrency } = stages[stage as StageName];
    for (const { reserved } of functionsOf(stage)) {
      expect(provisionedConcurrency).toBeLessThanOrEqual(reserved);
    }
  });

  it('keeps its logs as long as the table of stages says', () => {
    const { logRetention } = stages[stage as StageName];
    for (const group of propertiesOf(templateOfStage(stage), 'AWS::Logs::LogGroup')) {
      expect(group.RetentionInDays).toBe(logRetention);
    }
  });

  it('keeps its data where the table of stages says so', () => {
    const { keepsData } = stages[stage as StageName];
    const kept = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::Logs::LogGroup'];
    for (const type of [...kept, 'AWS::Cognito::UserPool']) {
      templateOfStage(stage).allResources(type, {
        DeletionPolicy: keepsData ? 'Retain' : 'Delete',
        UpdateReplacePolicy: keepsData ? 'Retain' : 'Delete',
      });
    }
    templateOfStage(stage).allResourcesProperties('AWS::DynamoDB::Table', {
      DeletionProtectionEnabled: keepsData,
    });
  });
});

describe('the stages', () => {
  it("fit together into an account with Lambda's default quota", () => {
    const reserved = stageNames.flatMap(functionsOf).map((each) => each.reserved);
    const sum = reserved.reduce((total, each) => total + each, 0);
    expect(sum).toBeLessThanOrEqual(QUOTA - UNRESERVED);
  });

  it('differ: the data of production is kept, and its new versions come gradually', () => {
    expect(stages.prod).toMatchObject({ keepsData: true, deployment: 'canary' });
    for (const stage of [stages.dev, stages.staging]) {
      expect(stage).toMatchObject({ keepsData: false, deployment: 'all-at-once' });
    }
  });

  it('reserve nothing where the deployment says that there is nothing', () => {
    const template = templateOf({ reservedConcurrency: 'none' });
    for (const properties of propertiesOf(template, 'AWS::Lambda::Function')) {
      expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });
});

describe('the documentation of the stages', () => {
  it('has the numbers of the table of stages', () => {
    const text = readFileSync(new URL('../../../docs/roll-out.md', import.meta.url), 'utf8');
    const rows = stageNames.map((stage) => {
      const { throttle, logRetention, keepsData, deployment } = stages[stage as StageName];
      const [{ reserved } = { reserved: 0 }] = functionsOf(stage);
      return [
        `\`${stage}\``,
        throttle.requestsPerSecond,
        throttle.burst,
        reserved,
        `${logRetention} days`,
        keepsData ? 'are kept' : 'go with the stack',
        deployment === 'canary' ? 'a canary' : 'all at once',
      ].join(' | ');
    });
    for (const row of rows) expect(text).toContain(`| ${row} |`);
  });
});
