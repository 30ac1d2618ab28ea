import { createInterface } from 'node:readline';
import { WrongUsage } from './command.ts';

/** Where the question is asked. */
interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** What was to be confirmed was not. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';

  constructor() {
    super('Not confirmed: nothing has been changed.');
  }
}

/**
 * Asks the operator to type `expected`, which no habit does by itself.
 * @throws NotConfirmed where something else is typed, or nothing.
 * @throws WrongUsage where there is no terminal to ask on.
 */
export async function confirm(
  warning: string,
  expected: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (input.isTTY !== true) {
    throw new WrongUsage(
      'There is no terminal to confirm on: add --yes to go on without a question.',
    );
  }
  const lines = createInterface({ input, output });
  lines.setPrompt(`${warning}\nType ${expected} to go on: `);
  lines.prompt();
  for await (const line of lines) {
    if (line === expected) return;
    break;
  }
  throw new NotConfirmed();
}
