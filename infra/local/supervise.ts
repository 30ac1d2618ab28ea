// Runs a command until it ends, or until the process that started this one is gone: then standard
// input closes. Without it a killed parent would leave the command running. Says the command's pid.
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('Usage: supervise.ts COMMAND [ARG …]');

const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
process.stdout.write(`${child.pid}\n`);
// Ctrl-C reaches every process of the terminal; the parent decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdin.resume().once('close', () => child.kill('SIGTERM'));
child.once('exit', (code) => process.exit(code ?? 1));
