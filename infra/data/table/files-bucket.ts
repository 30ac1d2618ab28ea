import { keyPrefixOf, locateFile } from '../../../functions/domain/s3-uri.ts';
import { splitList } from '../../../functions/domain/split-list.ts';
import type { TableOptions } from './table-options.ts';

export const LOCAL_BUCKET = 'recruitment-local';

export const filesOptions = {
  'files-bucket': { type: 'string' },
  'whole-bucket': { type: 'boolean', default: false },
} as const;

export const filesUsage = (column: number) =>
  `  ${'--files-bucket BUCKET'.padEnd(column)}the deployment's filesBucket; by default the local service's bucket, or none with --table
  ${'--whole-bucket'.padEnd(column)}allow keys outside the tenant's prefix: for a deployment without a tenant claim
`;

export interface FilesOptions extends TableOptions {
  'files-bucket'?: string | undefined;
  'whole-bucket'?: boolean;
}

/**
 * @returns a function that says why the tenant may not use a file, without quoting its URI, or undefined if it may.
 *   Without a bucket, it refuses every file.
 */
export function fileCheck(
  options: FilesOptions,
): (uri: string, tenant: string) => string | undefined {
  const isLocal = options.table === undefined;
  const bucket = options['files-bucket'] ?? (isLocal ? LOCAL_BUCKET : undefined);
  if (bucket === undefined) return () => 'is a file in S3, which requires --files-bucket';
  return (uri, tenant) =>
    locateFile(uri, {
      buckets: splitList(bucket),
      keyPrefix: options['whole-bucket'] ? '' : keyPrefixOf(tenant),
    }).fault;
}
