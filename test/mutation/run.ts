// npm run test:mutation: runs the tests of the functions against mutants of the functions, and fails
// where too many survive. Arguments go to Stryker: -- --mutate functions/http/if-match.ts
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { equivalents } from './equivalent.ts';
import { mutantsOf } from './report.ts';
import { verdict } from './verdict.ts';

const COPIED = ['functions', 'infra', 'test', 'package.json', 'cdk.json', 'vitest.config.ts'];

/**
 * Authentication, validation and keys, and what keeps contacts out of the log: here no mutant may
 * survive but those that equivalent.ts argues.
 */
const STRICT = [
  'functions/contract/compiled.ts',
  'functions/contract/get-application.ts',
  'functions/contract/update-job-status.ts',
  'functions/domain/application.ts',
  'functions/domain/formats.ts',
  'functions/domain/identifier.ts',
  'functions/domain/job.ts',
  'functions/domain/pseudonym.ts',
  'functions/contract/scope.ts',
  'functions/domain/timestamp.ts',
  'functions/auth/access-token.ts',
  'functions/auth/authenticate.ts',
  'functions/http/if-match.ts',
  'functions/auth/issuer-keys.ts',
  'functions/auth/jwks-cache.ts',
  'functions/http/logged-identifier.ts',
  'functions/http/require-json.ts',
  'functions/store/keys.ts',
];

const root = new URL('../../', import.meta.url);
const folder = new URL('dist/mutation/', root);
const copy = new URL('project/', folder);
const report = new URL('report.json', folder);

/**
 * Copies what the tests need. Stryker leaves alone what stands before `as const`, and so all schemas
 * and tables: the functions of the copy have no types, and everything else where it was.
 */
function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const name of COPIED) cpSync(new URL(name, root), new URL(name, copy), { recursive: true });
  const cwd = fileURLToPath(copy);
  for (const name of globSync('functions/**/*.ts', { cwd, exclude: ['**/*.d.ts'] })) {
    const file = new URL(name, copy);
    writeFileSync(file, stripTypeScriptTypes(readFileSync(file, 'utf8')));
  }
}

/** Runs Stryker in the copy, which leaves its report. */
function runStryker(): void {
  rmSync(report, { force: true });
  const stryker = fileURLToPath(new URL('node_modules/@stryker-mutator/core/bin/stryker.js', root));
  const config = 'test/mutation/stryker.config.mjs';
  const args = [stryker, 'run', config, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { cwd: copy, stdio: 'inherit' });
  if (status !== 0 || !existsSync(report)) throw new Error('Stryker has failed.');
}

for (const name of STRICT) {
  if (!existsSync(new URL(name, root))) throw new Error(`There is no ${name}: mend the list.`);
}
makeCopy();
runStryker();
const mutants = mutantsOf(JSON.parse(readFileSync(report, 'utf8')));
const { summary, faults } = verdict(mutants, STRICT, equivalents);
process.stdout.write(`\n${summary}\n`);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
