import { expect, it } from 'vitest';
import { command as candidate } from '../../../infra/data/candidate/candidate.ts';
import { command as exporting } from '../../../infra/data/export/export.ts';
import { command as importing } from '../../../infra/data/import/import.ts';
import { command as smoke } from '../../../infra/smoke/smoke.ts';
import { runCommand, SAMPLE } from '../../support/operator-command.ts';

const who = '--tenant default --id c-1';
const url = '--base-url https://api.example.com';

const commands = { import: importing, export: exporting, candidate, smoke };

const wrong: [name: keyof typeof commands, line: string, named: string][] = [
  ['import', '', 'FILE'],
  ['import', 'a b', 'FILE'],
  ['import', '/does/not/exist --table t', '/does/not/exist'],
  ['import', '- --region r', '--region'],
  ['import', '- --table=', '--table needs a value'],
  ['import', '- --dry-run=no', 'does not take an argument'],
  ['import', '- --table t --data .', '--data'],
  ['import', '- --dry-run --from-line 0', '--from-line'],
  ['import', '- --dry-run --expire-after-days 36501', '--expire-after-days'],
  ['import', '- --dry-run --expire-after-days 0', '--expire-after-days'],
  ['import', '- --dry-run --expire-after-days 1e3', '--expire-after-days'],
  ['import', `${SAMPLE} --complete-at yesterday`, 'a time with its offset'],
  ['import', `${SAMPLE} --complete-at 2026-11-23T01:30:00`, 'a time with its offset'],
  ['import', '- --complete-at 2026-11-23T01:30:00Z', 'needs a file'],
  ['import', `${SAMPLE} --complete-at 2026-11-23T01:30:00Z --replace`, '--replace'],
  ['import', `${SAMPLE} --complete-at 2026-11-23T01:30:00Z --from-line 1`, '--from-line'],
  ['import', `${SAMPLE} --complete-at 2026-11-23T01:30:00Z --remove-at-most x`, '--remove-at-most'],
  ['import', `${SAMPLE} --remove-at-most 1`, '--complete-at'],
  ['export', '--table t --output /does/not/exist', '/does/not/exist'],
  ['export', `--table t --output ${SAMPLE}`, 'already exists'],
  ['export', '--tenant a\tb', '--tenant'],
  ['export', '--table t --data .', '--data'],
  ['export', '--segment 0/1', '--segment must be N/M'],
  ['export', '--segment 2/1', '--segment must be N/M'],
  ['export', '--segment 1/1000001', '--segment must be N/M'],
  ['export', '--segment 1/2/3', '--segment must be N/M'],
  ['export', '--segment 1.5/2', '--segment must be N/M'],
  ['candidate', '', 'erase'],
  ['candidate', `remove ${who}`, 'erase'],
  ['candidate', `erase export ${who}`, 'erase'],
  ['candidate', 'erase --id c-1', '--tenant'],
  ['candidate', 'erase --tenant default', '--id'],
  ['candidate', `erase --tenant default --id ${'é'.repeat(129)}`, '--id'],
  ['candidate', 'erase --tenant default --id -1', '--id=-XYZ'],
  ['candidate', `erase ${who} --output x`, '--output'],
  ['candidate', `erase ${who} --table t --data .`, '--data'],
  ['candidate', `export ${who} --yes`, '--yes'],
  ['smoke', '--base-url http://api.example.com', '--base-url'],
  ['smoke', '--base-url ftp://localhost', '--base-url'],
  ['smoke', '--base-url https://api.example.com?x=1', '--base-url'],
  ['smoke', '--table t', '--base-url'],
  ['smoke', url, 'TOKEN'],
  ['smoke', '--for 1h', '--for'],
  ['smoke', '--file resume.pdf', '--file'],
  ['smoke', `${url} --file s3://b-1/x`, '--file also need --table'],
];

it.each(wrong)(
  'npm run %s -- %s: the message has %s, and the usage follows',
  async (name, line, named) => {
    const { exitCode, out, err } = await runCommand(commands[name], line ? line.split(' ') : []);
    const [message, usage] = err.split('\n\n');
    expect([exitCode, out]).toEqual([2, '']);
    expect(message).toContain(named);
    expect(usage).toMatch(new RegExp(`^Usage: .*npm run ${name}`));
    expect(err).not.toContain('se\u00e7ret');
  },
);
