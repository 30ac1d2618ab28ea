import { join } from 'node:path';
import { PRESIGNED_URL_MINUTES } from '../../../functions/domain/s3-uri.ts';
import { fileAttributes } from '../../../functions/store/items.ts';
import { type FilesOptions, fileCheck } from '../cli/files-bucket.ts';
import { pluralize } from '../cli/output.ts';
import { dataFolder } from '../cli/state.ts';
import type { Candidate } from './find-applications.ts';

/** The S3 URIs that an application names, well formed or not. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => /^s3:/i.test(text));

type Options = FilesOptions & { candidate: Candidate };

/** Lines with the commands that presign URLs of files; none without files. */
export function presignCommands(files: Set<string>, options: Options): string[] {
  const { region } = options;
  const more = `--expires-in ${60 * PRESIGNED_URL_MINUTES}${region ? ` --region ${region}` : ''}`;
  const heading = `in S3. Each command prints a URL that expires after ${PRESIGNED_URL_MINUTES} minutes:`;
  return commands(files, options, heading, (file) => `aws s3 presign ${file} ${more}`);
}

/** Lines with the commands that delete files, which no command of this project does; none without files. */
export function deleteCommands(files: Set<string>, options: Options): string[] {
  const heading = 'left in S3. These commands delete them, but not their older versions:';
  return commands(files, options, heading, (file) => `aws s3 rm ${file}`);
}

/** The tenant's own files get commands. Others are named, and left alone: they may be anyone's. */
function commands(
  files: Set<string>,
  options: Options,
  heading: string,
  command: (file: string) => string,
): string[] {
  const check = fileCheck(options);
  const faults = [...files].map((file) => [file, check(file, options.candidate.tenant)] as const);
  const own = faults.flatMap(([file, fault]) => (fault === undefined ? [file] : []));
  const others = faults.filter(([, fault]) => fault !== undefined);
  const count = pluralize(own.length, 'file');
  // The folder stands for the bucket.
  const local = `${count} in ${join(dataFolder(options.data), 'files')}.`;
  const lines =
    options.table === undefined
      ? [local]
      : [`${count} ${heading}`, ...own.map((file) => command(quoted(file)))];
  return [
    ...(own.length > 0 ? lines : []),
    ...others.map(([file, fault]) => `# left alone: ${JSON.stringify(file)} ${fault}`),
  ];
}

/** A text as a POSIX shell takes it literally. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
