import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type StageName, stages } from '../../infra/settings/stages.ts';
import { Observability } from '../../infra/stack/observability/observability.ts';
import { appOf } from './stack.ts';

/** A stack that has everything to observe, events included, and the construct that observes it. */
export function observed(stage: StageName = 'prod') {
  const stack = new Stack(appOf(), 'Observed');
  const code = (id: string) =>
    new LambdaFunction(stack, id, {
      code: Code.fromInline('exports.handler = () => {};'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      logGroup: new LogGroup(stack, `${id}Log`),
    });
  const observability = new Observability(stack, 'Observability', {
    stage: stages[stage],
    encryptionKey: new Key(stack, 'Key'),
    api: {
      stage: new HttpStage(stack, 'Stage', {
        httpApi: new HttpApi(stack, 'Api', { createDefaultStage: false }),
      }),
      accessLog: new LogGroup(stack, 'AccessLog'),
    },
    functions: { 'get-application': code('Read'), 'update-job-status': code('Update') },
    table: new Table(stack, 'Table', { partitionKey: { name: 'pk', type: AttributeType.STRING } }),
    events: { deadLetterQueue: new Queue(stack, 'DeadLetters'), pipeName: 'pipe' },
    alarmEmail: undefined,
  });
  return { observability, template: Template.fromStack(stack) };
}
