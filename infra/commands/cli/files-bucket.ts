import { namesIn } from '../../../functions/contract/environment.ts';
import { keyPrefixOf, locateFile } from '../../../functions/domain/s3-uri.ts';
import type { TableOptions } from './table-options.ts';

/** The bucket of the local service. */
export const LOCAL_BUCKET = 'recruitment-local';

/** The `parseArgs` options that say which files in S3 a tenant may have. */
export const filesOptions = {
  'files-bucket': { type: 'string' },
  'whole-bucket': { type: 'boolean', default: false },
} as const;

/** Returns the usage of the file options; `column` is the width of the option column. */
export const filesUsage = (column: number) =>
  `  ${'--files-bucket BUCKET'.padEnd(column)}the deployment's filesBucket; by default that of the local service, none with --table
  ${'--whole-bucket'.padEnd(column)}allow keys outside the tenant's prefix: for a deployment without a tenant claim
`;

/** Returns why the API would not give a file to a tenant, without any part of its S3 URI; undefined if it would. */
export type FileCheck = (uri: string, tenant: string) => string | undefined;

export interface FilesOptions extends TableOptions {
  'files-bucket'?: string | undefined;
  'whole-bucket'?: boolean;
}

/** Returns the check that the API makes before it gives out a file. If the bucket is unknown, every file fails. */
export function fileCheck(options: FilesOptions): FileCheck {
  const isLocal = options.table === undefined;
  const bucket = options['files-bucket'] ?? (isLocal ? LOCAL_BUCKET : undefined);
  if (bucket === undefined) return () => 'is a file in S3, which takes --files-bucket';
  return (uri, tenant) =>
    locateFile(uri, {
      buckets: namesIn(bucket),
      keyPrefix: options['whole-bucket'] ? '' : keyPrefixOf(tenant),
    }).fault;
}
