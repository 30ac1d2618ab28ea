import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { expect, it } from 'vitest';

const keyActionsIn = (text: string) =>
  [...new Set(text.match(/(?<=")kms:(?!ViaService)[\w*]+(?=")/g))].toSorted();

/** KMS actions that the CDK grants a writer of a table with its own key. */
function grantedByTheCdk(): string[] {
  const stack = new Stack();
  const table = new Table(stack, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    encryption: TableEncryption.CUSTOMER_MANAGED,
  });
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  table.grantWriteData(new Role(stack, 'Writer', { assumedBy }));
  return keyActionsIn(JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Policy')));
}

/** Leaves out the key-pair actions that `kms:GenerateDataKey*` also covers. */
const WRITER = [
  ...['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
  ...['kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
];

it('every writer may do with the key what the CDK grants one, without wildcards', () => {
  const patterns = grantedByTheCdk();
  const unmatched = patterns.filter((it) => !WRITER.some((action) => matchesGlob(action, it)));
  const unasked = WRITER.filter((action) => !patterns.some((it) => matchesGlob(action, it)));
  expect([unmatched, unasked]).toEqual([[], []]);
  for (const file of ['infra/scripts/deploy-role.sh', 'docs/live-data.md'])
    expect(keyActionsIn(readFileSync(file, 'utf8')), file).toEqual(WRITER);
});
