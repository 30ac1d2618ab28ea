import { realpathSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { IDENTIFIER_RULE, isIdentifier } from '../../functions/domain/identifier.ts';
import { interruption } from './signals.ts';

/** A stream to the operator, which may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean };

/** What a command gets from the process that runs it. */
export interface CommandIo {
  /** The command line after the command's own name. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  stdin: Readable & { readonly isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /**
   * The signal that is aborted, with `Interrupted`, when the operator asks the command to end. Until a
   * command calls this, an interrupt ends the process at once.
   */
  interruption(): AbortSignal;
}

/** A command of this project. */
export interface Command {
  /** Printed for `--help`; its first paragraph also after an error in the command line. */
  usage: string;
  /** Runs the command and returns its exit code; undefined means 0. */
  run(io: CommandIo): Promise<number | undefined> | number | undefined;
}

/** The command line is wrong; the message says how. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/**
 * Runs a command.
 * @returns its exit code: 2 if the command line is wrong, after the message and how the command is called;
 *   1 if anything else fails, after the message without a stack.
 */
export async function execute({ usage, run }: Command, io: CommandIo): Promise<number> {
  if (io.args.includes('--help')) {
    io.stdout.write(usage);
    return 0;
  }
  try {
    return (await run(io)) ?? 0;
  } catch (error) {
    const message = messageOf(error);
    const isUsage = error instanceof WrongUsage || isParseArgsError(error);
    const [synopsis] = usage.split('\n\n');
    const help = `\n${synopsis}\n\nUse --help for the options.\n`;
    io.stderr.write(isUsage ? `${message}\n${help}` : `${message}\n`);
    return isUsage ? 2 : 1;
  }
}

/** Runs a command as this process, and sets its exit code. */
export async function runCommand(usage: string, run: Command['run']): Promise<void> {
  const { env, stdin, stdout, stderr } = process;
  const io = { args: process.argv.slice(2), env, stdin, stdout, stderr, interruption };
  process.exitCode = await execute({ usage, run }, io);
}

/** Runs a command as this process, if `module` is the one that Node.js was started with. */
export async function runMain(module: ImportMeta, { usage, run }: Command): Promise<void> {
  const [, script = ''] = process.argv;
  // Not `import.meta.main`, which Node.js has from 24.2 on.
  if (realpathSync(script) === module.filename) await runCommand(usage, run);
}

/**
 * Parses a command line by `parseArgs`.
 * @throws WrongUsage if an option has an empty value, and the errors of `parseArgs`.
 */
export function readOptions<const T extends ParseArgsConfig>(config: T) {
  const parsed = parseArgs(config);
  for (const [name, value] of Object.entries(parsed.values)) {
    if (value === '') throw new WrongUsage(`--${name} needs a value.`);
  }
  return parsed;
}

/**
 * The value of an option that names a tenant or a candidate.
 * @throws WrongUsage if there is none, or if it is not an identifier of the contract.
 */
export function requireIdentifier(option: string, value: string | undefined): string {
  if (value === undefined) throw new WrongUsage(`--${option} is required.`);
  if (isIdentifier(value)) return value;
  throw new WrongUsage(`--${option} must be ${IDENTIFIER_RULE}.`);
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, option] = /^Option '(?:-\w, )?(--[\w-]+).*' argument is ambiguous/.exec(message) ?? [];
  if (option === undefined || !isParseArgsError(error)) return message;
  return `${option} needs a value. A value that starts with a hyphen is written ${option}=-1.`;
}

/** `parseArgs` throws TypeErrors with codes of its own. */
const isParseArgsError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('ERR_PARSE_ARGS');
