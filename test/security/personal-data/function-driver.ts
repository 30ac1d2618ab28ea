// The inside of a process that runs one built function as Lambda does: `function-process.ts` starts it.

import { contextOf } from '../../support/invoke.ts';
import type { Invocation, InvocationResult } from './function-process.ts';

const [, , bundle = ''] = process.argv;
const { handler } = await import(bundle);
const say = (result: InvocationResult | 'ready') => process.send?.(result);

process.on('message', async (told: Invocation | 'end') => {
  // By itself it would go on for as long as there are connections to the database.
  if (told === 'end') process.exit();
  const { event, ...times } = told;
  try {
    say({ reply: await handler(event, contextOf(times)) });
  } catch {
    say({ reply: undefined });
  }
});
say('ready');
