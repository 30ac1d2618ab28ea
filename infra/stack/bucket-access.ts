import { Aws, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { type FunctionVariables, namesIn } from '../../functions/contract/environment.ts';
import type { Settings } from '../settings/context-keys.ts';
import { grantDecrypt } from './encryption.ts';
import type { OperationFunction } from './function.ts';

/** The variables of the buckets of the candidates' files, if the deployment names any: two while files move. */
export const filesVariables = ({ filesBucket }: Settings): Partial<FunctionVariables> =>
  filesBucket === undefined
    ? {}
    : {
        FILES_BUCKET: filesBucket,
        FILES_URL: `https://*.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`,
      };

/**
 * Allows what the presigned URLs of a function do: S3 checks the permissions of its role. Only in a bucket of the
 * deployment's account: a stranger may take the name of one that was deleted.
 */
export function allowFiles(reader: OperationFunction, { filesBucket, filesKey }: Settings): void {
  if (filesBucket === undefined) return;
  const grantee = reader.function;
  const buckets = namesIn(filesBucket);
  const resourceArns = buckets.map((name) => `arn:${Aws.PARTITION}:s3:::${name}/*`);
  const conditions = { StringEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID } };
  Grant.addToPrincipal({ grantee, actions: ['s3:GetObject'], resourceArns, conditions });
  for (const name of buckets) {
    Validations.of(reader).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${name}/*]`,
      reason: 'The bucket holds the files of all candidates, and any of them may be read.',
    });
  }
  for (const key of namesIn(filesKey)) grantDecrypt(grantee, key, 's3');
}
