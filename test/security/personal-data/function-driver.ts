import { contextOf } from '../../support/invoke.ts';

const [, , bundle = ''] = process.argv;
const { handler } = await import(bundle);

process.on('message', async (event) => {
  // Otherwise, connections to the database would keep the process running.
  if (event === 'end') process.exit();
  const response = await handler(event, contextOf({}, 6000)).catch(() => 'thrown');
  process.send?.(response);
});
process.send?.('started');
