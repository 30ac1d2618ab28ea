import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { LogRecord } from '../../../functions/contract/log-record.ts';
import { type OperationId, operations } from '../../../functions/operations/operations.ts';

/** The compiler checks the names of the log fields and of the operations. */
const query = (text: TemplateStringsArray, ...members: (keyof LogRecord | OperationId)[]) =>
  String.raw(text, ...members).trim();

export const queries = {
  'who-read-an-application': query`
# Who read an application, or tried to read it. Replace JOB and CANDIDATE with the ids of the job and of the candidate.
# The log shows an id unchanged if the id consists of ASCII letters, digits and _ . : | ~ -
# For any other id, the log shows a hash. This command prints the hash:
#   printf 'sha256:%.16s' "$(printf %s 'ana@example.com' | sha256sum)"
fields @timestamp, ${'tenant'}, ${'subject'}, ${'client'}, ${'outcome'}, ${'status'}, ${'request_id'}
| filter ${'operation'} = "${operations['get-application'].operationId}"
| filter ${'job_id'} = "JOB" and ${'candidate_id'} = "CANDIDATE"
| sort @timestamp desc
| limit 1000`,
  'slowest-requests': query`
# The slowest requests. duration_ms does not include the initialization of a cold start.
fields @timestamp, ${'operation'}, ${'duration_ms'}, ${'cold_start'}, ${'outcome'}, ${'client'}, ${'request_id'}
| filter ispresent(${'duration_ms'})
| sort ${'duration_ms'} desc
| limit 100`,
  'rejections-by-client': query`
# The number of requests that were rejected or failed, by client, operation and outcome.
# Requests without a valid token have no client.
filter ispresent(${'outcome'}) and ${'outcome'} != "ok"
| stats count(*) as rejections by ${'client'}, ${'operation'}, ${'outcome'}
| sort rejections desc
| limit 100`,
  'requests-by-client': query`
# The number of requests by client. Requests that API Gateway throttled (429) are only in the API's access log.
filter ispresent(${'outcome'})
| stats count(*) as total, sum(${'duration_ms'}) as total_ms by ${'client'}, ${'operation'}
| sort total desc
| limit 100`,
  'cold-starts': query`
# Cold starts by hour, and the 99th percentile of duration_ms, which does not include initialization.
# The sum counts true as 1 and false as 0.
filter ispresent(${'cold_start'})
| stats sum(${'cold_start'}) as cold, count(*) as total, pct(${'duration_ms'}, 99) as p99_ms by ${'operation'}, bin(1h)
| sort ${'operation'}`,
} as const;

/** The AWS console lists them under the stack's name. */
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
