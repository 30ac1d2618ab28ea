import type { OperationName } from '../../functions/contract/operations.ts';

/** Returns the contents of an operation's entry file. */
export const entryOf = (operation: OperationName) => `\
import * as operation from './operations/${operation}.ts';
import { start } from './start/start.ts';

export const handler = await start(operation);
`;
