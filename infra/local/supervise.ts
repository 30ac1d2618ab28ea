// Runs a command until it ends, or until standard input closes because the process that started this one
// is gone. Otherwise the command would outlive a parent that is killed.
import { spawn } from 'node:child_process';
import { END_SIGNALS } from '../commands/cli/signals.ts';

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
// Ctrl-C reaches every process of the terminal, but the parent decides when this one ends.
for (const signal of END_SIGNALS) process.on(signal, () => undefined);
process.stdin.resume().once('close', () => child.kill('SIGTERM'));
child.once('exit', (code) => process.exit(code ?? 1));
