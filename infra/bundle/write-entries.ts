// npm run generate: writes the file of each operation that Lambda loads.
import { writeFile } from 'node:fs/promises';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { root } from '../project.ts';

/** Returns the contents of an operation's entry file. */
export const entryOf = (operation: OperationName) => `\
import * as operation from './operations/${operation}.ts';
import { start } from './start/start.ts';

export const handler = await start(operation);
`;

if (import.meta.main) {
  for (const name of operationNames) {
    await writeFile(new URL(`functions/${name}.ts`, root), entryOf(name));
  }
}
