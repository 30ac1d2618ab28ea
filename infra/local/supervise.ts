// Runs a program until standard input closes, as it does when the parent ends or is killed.
import { spawn } from 'node:child_process';
import { END_SIGNALS } from '../command/signals.ts';

// Only the owner may read the database.
process.umask(0o077);
const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
// Ctrl-C reaches every process of the terminal, but the parent decides when the program ends.
for (const signal of END_SIGNALS) process.on(signal, () => undefined);
process.stdin.resume().once('close', () => child.kill('SIGTERM'));
child.once('exit', (code) => process.exit(code ?? 1));
