import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { LogRecord } from '../../../functions/contract/log-record.ts';
import { type OperationId, operations } from '../../../functions/contract/operations.ts';

/** Returns the text of a query. The compiler checks the names of the log fields and of the operations. */
const query = (text: TemplateStringsArray, ...members: (keyof LogRecord | OperationId)[]) =>
  String.raw(text, ...members).trim();

/** The queries of the logs, in the language of CloudWatch Logs Insights. */
export const queries = {
  'who-read-an-application': query`
# Who read an application, or tried to. Replace JOB and CANDIDATE with the ids.
# The log has an id unchanged if the id consists of ASCII letters, digits and _ . : | ~ -
# The log has the output of this command in place of any other id:
#   printf 'sha256:%.16s' "$(printf %s 'ana@example.com' | sha256sum)"
fields @timestamp, ${'tenant'}, ${'subject'}, ${'client'}, ${'outcome'}, ${'status'}, ${'request_id'}
| filter ${'operation'} = "${operations['get-application'].operationId}"
| filter ${'job_id'} = "JOB" and ${'candidate_id'} = "CANDIDATE"
| sort @timestamp desc
| limit 1000`,
  'slowest-requests': query`
# The slowest requests. The duration does not include the initialization of a cold start.
fields @timestamp, ${'operation'}, ${'duration_ms'}, ${'cold_start'}, ${'outcome'}, ${'client'}, ${'request_id'}
| filter ispresent(${'duration_ms'})
| sort ${'duration_ms'} desc
| limit 100`,
  'rejections-by-client': query`
# Rejections by client. The cause is an invalid configuration, a bug of the client, or an attack.
# Requests without a valid token have no client.
filter ispresent(${'outcome'}) and ${'outcome'} != "ok"
| stats count(*) as rejections by ${'client'}, ${'operation'}, ${'outcome'}
| sort rejections desc
| limit 100`,
  'requests-by-client': query`
# Requests by client. Only the access log has the requests that API Gateway throttled (429).
filter ispresent(${'outcome'})
| stats count(*) as total, sum(${'duration_ms'}) as total_ms by ${'client'}, ${'operation'}
| sort total desc
| limit 100`,
  'cold-starts': query`
# Cold starts by hour, and the latency of all requests after initialization. A boolean counts as 1 or 0.
filter ispresent(${'cold_start'})
| stats sum(${'cold_start'}) as cold, count(*) as total, pct(${'duration_ms'}, 99) as p99_ms by ${'operation'}, bin(1h)
| sort ${'operation'}`,
} as const;

/** The saved queries of the functions' logs. The AWS console lists the queries under the stack's name. */
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
