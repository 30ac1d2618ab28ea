import { createInterface } from 'node:readline';
import { escapeHidden } from './output.ts';
import { type CommandIo, UsageError } from './run-command.ts';

/**
 * Makes the operator type `expected`: people answer `y` out of habit.
 * @throws Error on any other answer or none; UsageError if standard input is not a terminal.
 */
export async function confirm(
  warning: string,
  expected: string,
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
): Promise<void> {
  if (stdin.isTTY !== true) {
    throw new UsageError(
      'Standard input is not a terminal. To run the command without a confirmation, use --yes.',
    );
  }
  const lines = createInterface({ input: stdin, output: stderr });
  lines.setPrompt(`${warning}\nType ${escapeHidden(expected)} to continue: `);
  lines.prompt();
  for await (const line of lines) {
    if (line === expected) return;
    break;
  }
  throw new Error('Not confirmed. Nothing was changed.');
}
