import { join } from 'node:path';
import { fileAttributes } from '../../../functions/store/items.ts';
import { hasHidden, pluralize, quoted } from '../../command/output.ts';
import { dataFolder } from '../../command/service-state.ts';
import { type FilesOptions, fileCheck } from '../table/files-bucket.ts';
import type { Candidate, Search } from './find-applications.ts';

export interface CandidateOptions extends FilesOptions {
  candidate: Candidate;
  search: Search;
}

/** S3 URIs, even invalid ones, but no web addresses. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => /^s3:/i.test(text));

/**
 * Makes commands only for files that the API would give to the candidate's tenant: others may belong to somebody else.
 * Skips URIs with invisible characters, which an operator cannot check.
 * @param heading printed after the number of files.
 * @param command gets a file's URI, already quoted for a shell.
 */
export function fileCommands(
  files: ReadonlySet<string>,
  options: CandidateOptions,
  heading: string,
  command: (file: string) => string,
  localAdvice = '',
): string[] {
  const check = fileCheck(options);
  const faultOf = (file: string) =>
    check(file, options.candidate.tenant) ??
    (hasHidden(file) ? 'has invisible characters' : undefined);
  const faults = [...files].map((file) => [file, faultOf(file)] as const);
  const own = faults.flatMap(([file, fault]) => (fault === undefined ? [file] : []));
  const others = faults.filter(([, fault]) => fault !== undefined);
  const count = pluralize(own.length, 'file');
  const folder = join(dataFolder(options.data), 'files');
  const lines =
    options.table === undefined
      ? [`${count} of the candidate ${own.length === 1 ? 'is' : 'are'} in ${folder}${localAdvice}.`]
      : [`${count} ${heading}`, ...own.map((file) => command(shellQuoted(file)))];
  return [
    ...(own.length > 0 ? lines : []),
    ...others.map(([file, fault]) => `# skipped: ${quoted(file)} ${fault}`),
  ];
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
