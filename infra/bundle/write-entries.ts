// npm run generate: writes the entry file that Lambda loads for each operation.
import { writeFile } from 'node:fs/promises';
import { operationNames } from '../../functions/contract/operations.ts';
import { root } from '../project.ts';
import { entryOf } from './entry.ts';

for (const name of operationNames) {
  await writeFile(new URL(`functions/${name}.ts`, root), entryOf(name));
}
