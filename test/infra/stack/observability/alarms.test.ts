import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { monitoredStages, ownDomain } from '../../../support/deployments.ts';
import { pageWith } from '../../../support/pages.ts';
import { idOf, templateOf } from '../../../support/stack.ts';
import { ALARM_PAGE, alarmTable } from './alarm-page.ts';
import { alarmsOf, compositesOf, readMetrics, rollbackIds } from './alarms.ts';

const ANCHOR = /(docs\/runbooks\/[\w-]+\.md)(?:#([\w-]+))?$/;

/** Returns the anchors that GitHub makes from a page's headings. */
const anchorsOf = (page: string) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

describe.each(monitoredStages)('the alarms of %s', (stage) => {
  const template = templateOf({ stage, ...ownDomain });
  const topic = { Ref: idOf(template, 'AWS::SNS::Topic') };
  const composites = [...compositesOf(template).values()];
  const all = [...composites, ...alarmsOf(template).values()];

  it('notify the topic, or roll a deployment back, or are parts of an alarm that notifies', () => {
    const rollback = rollbackIds(template);
    const rules = composites.map(({ rule }) => rule).join(' ');
    for (const { id, AlarmActions, OKActions } of all) {
      const actions = rollback.has(id) || rules.includes(id) ? undefined : [topic];
      expect([AlarmActions, OKActions], id).toEqual([actions, actions]);
    }
  });

  it('notify also while a key is disabled', () => {
    expect(JSON.stringify(template.findResources('AWS::SNS::Topic'))).not.toContain('Kms');
  });

  it('say what to look at first, and name a section of a runbook', () => {
    for (const { AlarmDescription: description } of all) {
      expect(description).toMatch(/Look first at /);
      // The maximum in CloudWatch.
      expect(description.length).toBeLessThanOrEqual(1024);
      const [, page = '', anchor] = ANCHOR.exec(description) ?? [];
      expect(existsSync(page), description).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(page)).toContain(anchor);
    }
  });

  // PutMetricAlarm, Period: an alarm covers at most seven days, or one day if its period is shorter than an hour.
  it('keep the limits of CloudWatch: ten metrics of one period, and seven days or one', () => {
    for (const alarm of alarmsOf(template).values()) {
      const metrics = Object.values(readMetrics(alarm).metrics);
      const [period = 0, ...others] = new Set(metrics.map((it) => it.Period));
      expect([metrics.length <= 10, others]).toEqual([true, []]);
      expect(period * alarm.EvaluationPeriods).toBeLessThanOrEqual(
        period < 3600 ? 86_400 : 604_800,
      );
    }
  });
});

it('docs/reference/alarms.md has the alarms of prod (`npm run generate` writes it)', async () => {
  const table = alarmTable(templateOf({ stage: 'prod', ...ownDomain }));
  await expect(pageWith(ALARM_PAGE, 'alarms', table)).toMatchFileSnapshot(
    `../../../../${ALARM_PAGE}`,
  );
});
