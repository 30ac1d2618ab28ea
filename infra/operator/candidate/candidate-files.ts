import { join } from 'node:path';
import { fileAttributes } from '../../../functions/store/items.ts';
import { type FilesOptions, fileCheck } from '../cli/files-bucket.ts';
import { hasHidden, pluralize, quoted } from '../cli/output.ts';
import { dataFolder } from '../cli/service-state.ts';
import type { Candidate, Search } from './find-applications.ts';

/** The options of both actions, export and erase. */
export interface CandidateOptions extends FilesOptions {
  candidate: Candidate;
  search: Search;
}

/** Returns the S3 URIs in an application's file attributes, including invalid URIs. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => /^s3:/i.test(text));

/**
 * Returns a heading, and a shell command for each file that the API would give to the candidate's tenant. For the local
 * service, one line that names the folder of the files and ends with `localAdvice` replaces both.
 *
 * A file gets a comment line instead of a command if the API would not give the file to the tenant, because the file
 * may belong to somebody else. The same applies to a file whose URI has invisible characters.
 * @param heading the text after the number of files, which says what the commands do.
 * @param command returns the command for a file. The file's URI is already quoted for a shell.
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
    ...others.map(([file, fault]) => `# left alone: ${quoted(file)} ${fault}`),
  ];
}

/** Returns a text quoted so that a POSIX shell takes each character literally. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
