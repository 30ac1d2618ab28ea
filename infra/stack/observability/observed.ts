import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { OperationName } from '../../../functions/contract/operations.ts';
import type { RecruitmentTable } from '../table.ts';

/** The way of a status change out of the service. */
export interface ObservedEvents {
  /** Where a change ends that could not become an event. */
  deadLetterQueue: IQueue;
  pipeName: string;
}

/** What dashboard and alarms are of. */
export interface Observed {
  api: { stage: HttpStage; accessLog: ILogGroup };
  functions: Readonly<Record<OperationName, LambdaFunction>>;
  table: RecruitmentTable['table'];
  events: ObservedEvents;
}
