import { join } from 'node:path';
import { PRESIGNED_URL_MINUTES, parseS3Uri } from '../../../functions/domain/s3-uri.ts';
import { fileAttributes } from '../../../functions/store/items.ts';
import { counted } from '../cli/output.ts';
import { dataFolder } from '../cli/state.ts';
import type { TableOptions } from '../cli/table-options.ts';

/** The addresses of the files in S3 that an application names. */
export const filesOf = (application: Readonly<Record<string, unknown>>): string[] =>
  fileAttributes
    .map((name) => application[name])
    .filter((value) => typeof value === 'string')
    .filter((text) => text.startsWith('s3://'));

/** Lines with the commands that print links to files; none without files. */
export function presignCommands(files: Set<string>, table: TableOptions): string[] {
  const { region } = table;
  const options = `--expires-in ${60 * PRESIGNED_URL_MINUTES}${region ? ` --region ${region}` : ''}`;
  const heading = `in S3. Each command prints a link that expires after ${PRESIGNED_URL_MINUTES} minutes:`;
  return commands(files, table, heading, (file) => `aws s3 presign ${file} ${options}`);
}

/** Lines with the commands that delete files, which no command of this project does; none without files. */
export function deleteCommands(files: Set<string>, table: TableOptions): string[] {
  const heading = 'left in S3. These commands delete them, but not their older versions:';
  return commands(files, table, heading, (file) => `aws s3 rm ${file}`);
}

function commands(
  files: Set<string>,
  { table, data }: TableOptions,
  heading: string,
  command: (file: string) => string,
): string[] {
  if (files.size === 0) return [];
  const count = counted(files.size, 'file');
  // It stands for the bucket.
  if (table === undefined) return [`${count} in ${join(dataFolder(data), 'files')}.`];
  const lines = [...files].map((file) =>
    parseS3Uri(file) ? command(quoted(file)) : `# not a valid address: ${JSON.stringify(file)}`,
  );
  return [`${count} ${heading}`, ...lines];
}

/** A text as a POSIX shell takes it literally. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
