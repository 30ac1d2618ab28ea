/** The command line is wrong; the message says how. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/**
 * Runs a command and sets its exit code: what `main` gives, if anything; 2 with the usage where the command
 * line is wrong; 1 with the message, and no stack, where anything else fails.
 */
export async function runCommand(
  usage: string,
  main: () => Promise<number | undefined> | number | undefined,
): Promise<void> {
  try {
    const code = await main();
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    const message = messageOf(error);
    const isUsage = error instanceof WrongUsage || isOfParseArgs(error);
    process.stderr.write(isUsage ? `${message}\n\n${usage}` : `${message}\n`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, option] = /^Option '(?:-\w, )?(--[\w-]+).*' argument is ambiguous/.exec(message) ?? [];
  if (option === undefined || !isOfParseArgs(error)) return message;
  return `${option} has no value, or one that begins with a hyphen: that is written ${option}=-1.`;
}

/** node:util's `parseArgs` throws TypeErrors with codes of its own. */
const isOfParseArgs = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('ERR_PARSE_ARGS');
