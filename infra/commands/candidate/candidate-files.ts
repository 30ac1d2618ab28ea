import { join } from 'node:path';
import { fileAttributes } from '../../../functions/store/items.ts';
import { type FilesOptions, fileCheck } from '../cli/files-bucket.ts';
import { hasHidden, pluralize, quoted } from '../cli/output.ts';
import { dataFolder } from '../cli/state.ts';
import type { Candidate, Search } from './find-applications.ts';

/** The options of both actions. */
export interface CandidateOptions extends FilesOptions {
  candidate: Candidate;
  search: Search;
}

/** Returns the S3 URIs in an application's file attributes, valid or not. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => /^s3:/i.test(text));

/**
 * Returns lines with a shell command for each file that the API would give to the candidate's tenant. For any other
 * file, which may belong to anyone, and for a file whose URI has invisible characters, a line only names the file. For
 * the local service, one line names the folder of the files instead of the commands.
 * @param heading the text after the number of files, which says what the commands do.
 * @param command returns the command for a file, which is quoted for a shell.
 */
export function fileCommands(
  files: ReadonlySet<string>,
  options: CandidateOptions,
  heading: string,
  command: (file: string) => string,
): string[] {
  const check = fileCheck(options);
  const faultOf = (file: string) =>
    check(file, options.candidate.tenant) ??
    (hasHidden(file) ? 'has invisible characters' : undefined);
  const faults = [...files].map((file) => [file, faultOf(file)] as const);
  const own = faults.flatMap(([file, fault]) => (fault === undefined ? [file] : []));
  const others = faults.filter(([, fault]) => fault !== undefined);
  const count = pluralize(own.length, 'file');
  const lines =
    options.table === undefined
      ? [`${count} in ${join(dataFolder(options.data), 'files')}.`]
      : [`${count} ${heading}`, ...own.map((file) => command(shellQuoted(file)))];
  return [
    ...(own.length > 0 ? lines : []),
    ...others.map(([file, fault]) => `# left alone: ${quoted(file)} ${fault}`),
  ];
}

/** Returns a text quoted so that a POSIX shell takes each character literally. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
