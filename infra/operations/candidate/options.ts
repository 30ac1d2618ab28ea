import { parseArgs } from 'node:util';
import { isIdentifier } from '../../../functions/domain/identifier.ts';
import { WrongUsage } from '../../cli/command.ts';
import { checkTarget, TARGET_USAGE, type TargetOptions, targetOptions } from '../../cli/target.ts';
import type { Search } from './find-applications.ts';

/** What `npm run candidate` takes and does. */
export const USAGE = `Usage: npm run candidate -- export --tenant T --id C [--output FILE]
       npm run candidate -- erase --tenant T --id C [--anonymise] [--yes]

export writes all applications of a candidate, to whichever jobs, as one JSON document to standard
output or to a new FILE that only its owner may read.

erase removes them for good, and looks again until none is left. It says before what it has found, and
asks to type the candidate's id. A run that stops, by a failure or Ctrl-C, is finished by the same
command; done again, it finds none. It prints times, jobs and counts, how it ended even where it has
failed, and no other personal data than the ids. Where the output is kept, npm run -s adds nothing.

  --tenant T       the tenant; "default" where the service has one alone
  --id C           the candidate: "user_id" in the API's answer
  --output FILE    write the export there; a file that exists is not overwritten
  --anonymise      keep job, stage, score and day of each application under a random id
  --yes            do not ask
  --scan           look through the whole table instead of the index: slow, but certain to find
                   applications that were written a moment ago, or without the index's attribute
${TARGET_USAGE}
The exit code is 0 if all went well, 1 if not, 2 if the command was wrong. How to answer a request for
erasure or access, and what stays elsewhere: docs/runbooks/erase-candidate.md.
`;

/** What the command line says. */
export type Arguments = ReturnType<typeof readArguments>;

/** @throws WrongUsage, or an error of `parseArgs`, where the command line is wrong. */
export function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...targetOptions,
      help: { type: 'boolean', default: false },
      tenant: { type: 'string', default: '' },
      id: { type: 'string', default: '' },
      output: { type: 'string' },
      anonymise: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
    },
  });
  const [action = '', ...others] = positionals;
  const candidate = { tenant: values.tenant, id: values.id };
  const search: Search = values.scan ? 'scan' : 'index';
  if (!values.help) check(action, others, values);
  return { ...values, action, candidate, search };
}

interface Values extends TargetOptions {
  tenant: string;
  id: string;
  output?: string;
  anonymise: boolean;
  yes: boolean;
}

function check(action: string, others: string[], values: Values): void {
  if (!['erase', 'export'].includes(action) || others.length > 0) {
    throw new WrongUsage('Say erase or export.');
  }
  for (const name of ['tenant', 'id'] as const) {
    if (isIdentifier(values[name])) continue;
    throw new WrongUsage(`--${name} is needed: 1 to 256 bytes without control characters.`);
  }
  if (values.output === '') throw new WrongUsage('An option has an empty value.');
  if (action === 'export' && (values.anonymise || values.yes)) {
    throw new WrongUsage('--anonymise and --yes go with erase.');
  }
  if (action === 'erase' && values.output !== undefined) {
    throw new WrongUsage('--output goes with export.');
  }
  checkTarget(values);
}
