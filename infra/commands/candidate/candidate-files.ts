import { join } from 'node:path';
import { fileAttributes } from '../../../functions/store/items.ts';
import { type FilesOptions, fileCheck } from '../cli/files-bucket.ts';
import { hasHidden, pluralize, quoted } from '../cli/output.ts';
import { dataFolder } from '../cli/state.ts';
import type { Candidate } from './find-applications.ts';

/** The S3 URIs that an application names, well formed or not. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => /^s3:/i.test(text));

/**
 * Lines with a command for each file of the candidate's tenant, if there are any. Other files, which may be
 * anyone's, are named and left alone. So are files with characters that an operator cannot see.
 * @param heading what the commands do, after the number of files.
 */
export function fileCommands(
  files: ReadonlySet<string>,
  options: FilesOptions & { candidate: Candidate },
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
  // The folder stands for the bucket.
  const local = `${count} in ${join(dataFolder(options.data), 'files')}.`;
  const lines =
    options.table === undefined
      ? [local]
      : [`${count} ${heading}`, ...own.map((file) => command(shellQuoted(file)))];
  return [
    ...(own.length > 0 ? lines : []),
    ...others.map(([file, fault]) => `# left alone: ${quoted(file)} ${fault}`),
  ];
}

/** A text as a POSIX shell takes it literally. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
