import { realpathSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { IDENTIFIER_RULE, isIdentifier } from '../../../functions/domain/identifier.ts';
import { explain, nameOf } from './failure.ts';
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
   * The signal that is aborted when the operator asks the command to end; its reason says so. Until a
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

/** The command line is invalid; the message says how. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/**
 * Runs a command.
 * @returns its exit code: 2 if the command line is invalid, after the message and how the command is called;
 *   1 if anything else fails, after the message without a stack.
 */
export async function execute({ usage, run }: Command, io: CommandIo): Promise<number> {
  if (io.args.includes('--help') || io.args.includes('-h')) {
    io.stdout.write(usage);
    return 0;
  }
  try {
    return (await run(io)) ?? 0;
  } catch (error) {
    // The reader of the output has read enough, as `| head` does.
    if (error instanceof Error && nameOf(error) === 'EPIPE') return 1;
    io.stderr.write(`${explain(error)}\n`);
    if (!(error instanceof WrongUsage)) return 1;
    const [synopsis] = usage.split('\n\n');
    io.stderr.write(`\n${synopsis}\n\nUse --help for the options.\n`);
    return 2;
  }
}

/**
 * Runs a command as this process, and sets its exit code, if `module` is the one that Node.js was started
 * with.
 */
export async function runMain(module: ImportMeta, command: Command): Promise<void> {
  const [, script = ''] = process.argv;
  // `import.meta.main` is false, because infra/run.mjs imports the command.
  if (realpathSync(script) !== module.filename) return;
  const { env, stdin, stdout, stderr } = process;
  // A proxy cannot reach this machine. Node.js looks at this for each request.
  const noProxy = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  env[noProxy] = [env[noProxy], '127.0.0.1'].filter(Boolean).join();
  const io = { args: process.argv.slice(2), env, stdin, stdout, stderr, interruption };
  // An awaited write rejects too. One that is not awaited fails the command as well.
  for (const output of [stdout, stderr]) {
    output.on('error', () => {
      process.exitCode = 1;
    });
  }
  const exitCode = await execute(command, io);
  process.exitCode ||= exitCode;
}

/**
 * Parses a command line by `parseArgs`, in which no value may be empty.
 * @throws WrongUsage
 */
export function readOptions<const T extends ParseArgsConfig>(config: T) {
  const parsed = parseOptions(config);
  for (const [name, value] of Object.entries(parsed.values)) {
    if (value === '') throw new WrongUsage(`--${name} needs a value.`);
  }
  return parsed;
}

/** Parses a command line by `parseArgs`; throws `WrongUsage` with its messages. */
export function parseOptions<const T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    const isUsage = error instanceof Error && nameOf(error).startsWith('ERR_PARSE_ARGS_');
    throw isUsage ? new WrongUsage(error.message) : error;
  }
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
