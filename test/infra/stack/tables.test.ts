import { expect, it } from 'vitest';
import { stageNames } from '../../../infra/settings/stages.ts';
import { ownDomain } from '../../support/deployments.ts';
import { templateOf } from '../../support/stack.ts';
import { idTable, pagesWith, settingsTable, stageTable } from './tables.ts';

const prod = templateOf({ stage: 'prod', ...ownDomain });

it('the tables of docs/reference/ and numbers.txt agree with the templates (`npm run generate`)', async () => {
  const stages = new Map(stageNames.map((stage) => [stage, templateOf({ stage, ...ownDomain })]));
  const { table, same } = stageTable(stages);
  await expect(same).toMatchFileSnapshot('numbers.txt');
  const pages = pagesWith({
    stages: () => table,
    ids: () => idTable(prod),
    settings: settingsTable,
  });
  for (const [page, text] of pages) await expect(text).toMatchFileSnapshot(`../../../${page}`);
});
