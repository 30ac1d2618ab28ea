import { realpathSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { IDENTIFIER_RULE, isIdentifier } from '../../../functions/domain/identifier.ts';
import { explain, nameOf } from './failure.ts';
import { abortOnSignal } from './signals.ts';

/** An output stream, which may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean };

/** The arguments, environment and streams of the process that runs a command. */
export interface CommandIo {
  /** The command line after the command's name. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  stdin: Readable & { readonly isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /**
   * Returns a signal that is aborted when the operator asks the command to end. Until a command calls this function,
   * Ctrl-C ends the process at once.
   */
  abortOnSignal(): AbortSignal;
}

export interface Command {
  /** The text for `--help`. Its first paragraph also follows the message about an invalid command line. */
  usage: string;
  /** Runs the command. If it has done its work but found something to correct, it throws an Error that says so. */
  run(io: CommandIo): Promise<number | undefined> | number | undefined;
}

/** The error of an invalid command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs a command. Only here does an error become an exit code: 2 if the command line is invalid, otherwise 1. Prints the
 * error's message without a stack trace.
 */
export async function execute({ usage, run }: Command, io: CommandIo): Promise<number> {
  if (io.args.includes('--help') || io.args.includes('-h')) {
    io.stdout.write(usage);
    return 0;
  }
  try {
    return (await run(io)) ?? 0;
  } catch (error) {
    // The program that reads the output, such as `head` in a pipeline, has ended.
    if (error instanceof Error && nameOf(error) === 'EPIPE') return 1;
    io.stderr.write(`${explain(error)}\n`);
    if (!(error instanceof UsageError)) return 1;
    const [synopsis] = usage.split('\n\n');
    io.stderr.write(`\n${synopsis}\n\nUse --help for the options.\n`);
    return 2;
  }
}

/**
 * Runs the command and sets the exit code of this process, if `module` is the program that Node.js was told to run.
 * Otherwise, another module has only imported the command, and nothing happens.
 */
export async function runMain(module: ImportMeta, command: Command): Promise<void> {
  const [, script = ''] = process.argv;
  // `import.meta.main` is false, because infra/run.mjs imports the command.
  if (realpathSync(script) !== module.filename) return;
  const { env, stdin, stdout, stderr } = process;
  // Bypass any proxy for the local service, which a proxy cannot reach. Setting the variable here has an effect,
  // because Node.js reads it for each request.
  const noProxy = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  env[noProxy] = [env[noProxy], '127.0.0.1'].filter(Boolean).join();
  const io = { args: process.argv.slice(2), env, stdin, stdout, stderr, abortOnSignal };
  // If a write that nobody awaits fails, the command must fail too.
  for (const output of [stdout, stderr]) {
    output.on('error', () => {
      process.exitCode = 1;
    });
  }
  const exitCode = await execute(command, io);
  process.exitCode ||= exitCode;
}

/**
 * Parses a command line with `parseArgs`.
 * @throws UsageError if the command line is invalid or a value is empty.
 */
export function readOptions<const T extends ParseArgsConfig>(config: T) {
  const parsed = parseOptions(config);
  for (const [name, value] of Object.entries(parsed.values)) {
    if (value === '') throw new UsageError(`--${name} needs a value.`);
  }
  return parsed;
}

/**
 * Parses a command line with `parseArgs`. A value may be empty.
 * @throws UsageError if the command line is invalid.
 */
export function parseOptions<const T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    const isUsage = error instanceof Error && nameOf(error).startsWith('ERR_PARSE_ARGS_');
    throw isUsage ? new UsageError(error.message) : error;
  }
}

/**
 * Returns the value of an option that names a tenant or a candidate.
 * @throws UsageError if the value is missing or is not a valid identifier.
 */
export function requireIdentifier(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${option} is required.`);
  if (isIdentifier(value)) return value;
  throw new UsageError(`--${option} must be ${IDENTIFIER_RULE}.`);
}
