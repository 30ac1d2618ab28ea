import { Validations } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { checkCompliance } from '../../../infra/stack/compliance.ts';
import { settingsTable } from '../../../infra/stack/settings/settings.ts';
import { deployments } from '../../support/deployments.ts';
import { appOf, stackOf } from '../../support/stack.ts';
import { acknowledgementsOf, findingsOf } from './acknowledgements.ts';

interface Rule {
  path: string;
  rule: string;
}

const line = ({ path, rule }: Rule) => `${path}: ${rule}`;

const covers = (acknowledged: Rule, found: Rule) =>
  found.rule === acknowledged.rule && `${found.path}/`.startsWith(`${acknowledged.path}/`);

describe.each(deployments)('compliance of %s', (_, context) => {
  const app = appOf(context);
  const stack = stackOf(app);
  const acknowledgements = acknowledgementsOf(stack);
  const findings = findingsOf(stack);

  it('acknowledges every finding of cdk-nag, including warnings', () => {
    const open = findings.filter((found) => !acknowledgements.some((it) => covers(it, found)));
    expect(open.map(line)).toEqual([]);
  });

  it('acknowledges nothing that cdk-nag does not find', () => {
    const idle = acknowledgements.filter((it) => !findings.some((found) => covers(it, found)));
    expect(idle.map(line)).toEqual([]);
  });
});

it('the acknowledgements are those of acknowledgements.txt (`npm run generate:stack` writes it)', async () => {
  const all = deployments.flatMap(([, context]) => acknowledgementsOf(stackOf(appOf(context))));
  const lines = all.map(({ path, rule, reason }) => `${path}: ${rule}: ${reason}`);
  const text = [...new Set(lines)].toSorted().join('\n');
  await expect(`${text}\n`).toMatchFileSnapshot('acknowledgements.txt');
});

describe('the compliance checks', () => {
  it.each(['AwsSolutions', 'Serverless'])(
    'fail the synth if only a finding of %s is not acknowledged',
    (pack) => {
      const app = appOf();
      const stack = stackOf(app);
      const old = new CfnFunction(stack, 'Old', { code: {}, role: 'role', runtime: 'nodejs18.x' });
      const findings = findingsOf(stack).filter(({ path }) => path === 'Old');
      const others = findings.filter(({ rule }) => !rule.startsWith(`${pack}::`));
      expect(others.length).toBeLessThan(findings.length);
      const rules = new Set(others.map(({ rule }) => rule));
      for (const id of rules) Validations.of(old).acknowledge({ id, reason: 'Of another pack.' });
      checkCompliance(app);
      expect(() => app.synth()).toThrow();
    },
  );

  it('cover every setting', () => {
    const tried = new Set(deployments.flatMap(([, context]) => Object.keys(context)));
    expect([...tried].toSorted()).toEqual(Object.keys(settingsTable).toSorted());
  });
});
