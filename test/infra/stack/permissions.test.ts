import { expect, it } from 'vitest';
import { movedFiles, restoredTable } from '../../support/deployments.ts';
import { templateOf } from '../../support/stack.ts';
import { permissionsOf } from './lines.ts';

it('the permissions of production are those of permissions.txt (`npm run generate:stack` writes it)', async () => {
  const all = permissionsOf(templateOf({ stage: 'prod' }));
  const { region, restoredTableStream } = restoredTable('prod');
  const additions = [movedFiles, { restoredTableStream }].flatMap((keys) => [
    '',
    `With ${Object.keys(keys).join(' and ')}:`,
    ...permissionsOf(templateOf({ stage: 'prod', region, ...keys })).filter(
      (it) => !all.includes(it),
    ),
  ]);
  await expect([...all, ...additions, ''].join('\n')).toMatchFileSnapshot('permissions.txt');
});
