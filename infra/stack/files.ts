import { Aws, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { FunctionVariables } from '../../functions/contract/environment.ts';
import type { Settings } from '../settings/context-keys.ts';
import { grantDecrypt } from './encryption.ts';
import type { OperationFunction } from './function.ts';

/** The variables of the bucket of the candidates' files, if the deployment names one. */
export const filesVariables = ({ filesBucket }: Settings): Partial<FunctionVariables> =>
  filesBucket === undefined
    ? {}
    : {
        FILES_BUCKET: filesBucket,
        FILES_URL: `https://${filesBucket}.s3.${Aws.REGION}.${Aws.URL_SUFFIX}`,
      };

/** Allows what the links that a function signs do: S3 checks the permissions of its role. */
export function allowFiles(reader: OperationFunction, { filesBucket, filesKey }: Settings): void {
  if (filesBucket === undefined) return;
  const grantee = reader.function;
  const resourceArns = [`arn:${Aws.PARTITION}:s3:::${filesBucket}/*`];
  Grant.addToPrincipal({ grantee, actions: ['s3:GetObject'], resourceArns });
  Validations.of(reader).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${filesBucket}/*]`,
    reason: 'The bucket holds the files of all candidates, and any of them may be read.',
  });
  if (filesKey !== undefined) grantDecrypt(grantee, filesKey, 's3');
}
