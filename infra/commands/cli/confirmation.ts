import { createInterface } from 'node:readline';
import { escapeHidden } from './output.ts';
import { type CommandIo, WrongUsage } from './run-command.ts';

/**
 * Asks the operator to type `expected`, so that no confirmation is given out of habit.
 * @throws Error if the operator types something else, or nothing.
 * @throws WrongUsage if there is no terminal to ask on.
 */
export async function confirm(
  warning: string,
  expected: string,
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
): Promise<void> {
  if (stdin.isTTY !== true) {
    throw new WrongUsage('There is no terminal to ask for confirmation: use --yes to skip it.');
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
