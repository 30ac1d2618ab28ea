import { Aws, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { splitList } from '../../functions/domain/split-list.ts';
import type { FunctionVariables } from '../../functions/platform/environment.ts';
import { grantKey } from './encryption.ts';
import type { OperationFunction } from './function.ts';
import type { Settings } from './settings/settings.ts';

/**
 * S3 checks a presigned URL against the permissions of the role that signed it, here the function's.
 * `aws:ResourceAccount` keeps out buckets in other accounts: anybody can take the name of a deleted bucket.
 */
export function allowFiles(reader: OperationFunction, { filesBucket, filesKey }: Settings): void {
  if (filesBucket === undefined) return;
  const grantee = reader.function;
  const variables = {
    FILES_BUCKET: filesBucket,
    FILES_URL: `https://*.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`,
  } satisfies Partial<FunctionVariables>;
  for (const [name, value] of Object.entries(variables)) grantee.addEnvironment(name, value);
  const buckets = splitList(filesBucket);
  const resourceArns = buckets.map((name) => `arn:${Aws.PARTITION}:s3:::${name}/*`);
  const conditions = { StringEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID } };
  Grant.addToPrincipal({ grantee, actions: ['s3:GetObject'], resourceArns, conditions });
  for (const name of buckets) {
    Validations.of(reader).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${name}/*]`,
      reason:
        'The bucket holds the files of all candidates, and the function may return any of them.',
    });
  }
  for (const key of splitList(filesKey)) grantKey(grantee, key, { service: 's3', isWriter: false });
}
