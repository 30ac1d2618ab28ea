import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { LogRecord } from '../../../functions/contract/log-record.ts';
import { type OperationId, operations } from '../../../functions/operations/operations.ts';

/** Lets the compiler check the names of log fields and operations. */
const query = (text: TemplateStringsArray, ...members: (keyof LogRecord | OperationId)[]) =>
  String.raw(text, ...members).trim();

export const queries = {
  'who-read-an-application': query`
# Who read an application, or tried to. Replace JOB and CANDIDATE with their ids. The log shows an id of ASCII letters,
# digits and _ . : | ~ - unchanged, and any other as a hash, which this command prints:
#   printf 'sha256:%.16s' "$(printf %s 'ana@example.com' | sha256sum)"
fields @timestamp, ${'tenant'}, ${'subject'}, ${'client'}, ${'outcome'}, ${'status'}, ${'request_id'}
| filter ${'operation'} = "${operations['get-application'].operationId}"
| filter ${'job_id'} = "JOB" and ${'candidate_id'} = "CANDIDATE"
| sort @timestamp desc
| limit 1000`,
  'slowest-requests': query`
# duration_ms does not include the initialization of a cold start.
fields @timestamp, ${'operation'}, ${'duration_ms'}, ${'cold_start'}, ${'outcome'}, ${'client'}, ${'request_id'}
| filter ispresent(${'duration_ms'})
| sort ${'duration_ms'} desc
| limit 100`,
  'rejections-by-client': query`
# Rejected and failed requests. Without a valid token, they have no client.
filter ispresent(${'outcome'}) and ${'outcome'} != "ok"
| stats count(*) as rejections by ${'client'}, ${'operation'}, ${'outcome'}
| sort rejections desc
| limit 100`,
  'requests-by-client': query`
# Without the requests that API Gateway throttled (429), which are only in the API's access log.
filter ispresent(${'outcome'})
| stats count(*) as total, sum(${'duration_ms'}) as total_ms by ${'client'}, ${'operation'}
| sort total desc
| limit 100`,
  'cold-starts': query`
# Cold starts by hour: the sum counts true as 1. p99_ms does not include initialization.
filter ispresent(${'cold_start'})
| stats sum(${'cold_start'}) as cold, count(*) as total, pct(${'duration_ms'}, 99) as p99_ms by ${'operation'}, bin(1h)
| sort ${'operation'}`,
} as const;

export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { logGroups }: { logGroups: readonly ILogGroup[] }) {
    super(scope, id);
    for (const [name, queryString] of Object.entries(queries)) {
      new CfnQueryDefinition(this, name, {
        name: `${Stack.of(this).stackName}/${name}`,
        queryString,
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      });
    }
  }
}
