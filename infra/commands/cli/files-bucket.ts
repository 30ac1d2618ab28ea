import { namesIn } from '../../../functions/contract/environment.ts';
import { keyPrefixOf, locateFile } from '../../../functions/domain/s3-uri.ts';
import type { TableOptions } from './table-options.ts';

/** The bucket of the local service. */
export const LOCAL_BUCKET = 'recruitment-local';

/** The options that say which files in S3 a tenant may have, for `parseArgs`. */
export const filesOptions = {
  'files-bucket': { type: 'string' },
  'whole-bucket': { type: 'boolean', default: false },
} as const;

/** What those options do, for the usage of a command; their column is that of its other options. */
export const filesUsage = (column: number) =>
  `  ${'--files-bucket BUCKET'.padEnd(column)}the deployment's filesBucket; by default that of the local service, none with --table
  ${'--whole-bucket'.padEnd(column)}allow keys outside the tenant's prefix: for a deployment without a tenant claim
`;

/** Why a file may not be given to a tenant, in words that hold nothing of its S3 URI; undefined if it may. */
export type FileCheck = (uri: string, tenant: string) => string | undefined;

export interface FilesOptions extends TableOptions {
  'files-bucket'?: string | undefined;
  'whole-bucket'?: boolean;
}

/** The check by which the API gives out files too. Without knowing the bucket, no file passes it. */
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
