import { LINK_MINUTES, parseFileAddress } from '../../../functions/domain/file-address.ts';
import { fileAttributes } from '../../../functions/store/items.ts';
import { counted } from '../../cli/output.ts';

/** The addresses of the files in S3 that an application names. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => text.startsWith('s3://'));

/** Lines with the commands that print links to files; none without files. */
export function waysToRead(files: Set<string>, region?: string): string[] {
  const options = `--expires-in ${60 * LINK_MINUTES}${region ? ` --region ${region}` : ''}`;
  const heading = `in S3. Each command prints a link that expires after ${LINK_MINUTES} minutes:`;
  return commands(files, heading, (file) => `aws s3 presign ${file} ${options}`);
}

/** Lines with the commands that delete files, which no command of this project does; none without files. */
export function waysToDelete(files: Set<string>): string[] {
  const heading = 'left in S3. These commands delete them, but not their older versions:';
  return commands(files, heading, (file) => `aws s3 rm ${file}`);
}

function commands(files: Set<string>, heading: string, command: (file: string) => string) {
  // The service reads no others.
  const valid = [...files].filter((file) => parseFileAddress(file) !== undefined);
  if (valid.length === 0) return [];
  return [`${counted(valid.length, 'file')} ${heading}`, ...valid.map(quoted).map(command)];
}

/** A text as a POSIX shell takes it literally. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
