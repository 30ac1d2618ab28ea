// npm run generate: writes the file of each operation that Lambda loads.
import { writeFile } from 'node:fs/promises';
import { operationNames } from '../../functions/contract/operations.ts';
import { root } from '../project.ts';
import { entryOf } from './entry.ts';

for (const name of operationNames) {
  await writeFile(new URL(`functions/${name}.ts`, root), entryOf(name));
}
