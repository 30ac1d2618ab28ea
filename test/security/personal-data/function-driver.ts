// The program of a process that runs one built function as Lambda does. `function-process.ts` starts the process.

import { contextOf } from '../../support/invoke.ts';

const [, , bundle = ''] = process.argv;
const { handler } = await import(bundle);

process.on('message', async (event) => {
  // The process would otherwise run as long as there are connections to the database.
  if (event === 'end') process.exit();
  const response = await handler(event, contextOf({}, 6000)).catch(() => 'thrown');
  process.send?.(response);
});
process.send?.('started');
