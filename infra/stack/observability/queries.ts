import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** The questions that are asked of the log, in the language of CloudWatch Logs Insights. */
export const queries = {
  'who-read-an-application': `
# Who read an application, or tried to. Put the ids of the job and of the candidate in.
# An id that is an e-mail address or a telephone number is "sha256:" and 16 digits in the log, which
#   printf %s 'ana@example.com' | sha256sum | cut -c1-16
# prints of the id.
fields @timestamp, tenant, subject, client, outcome, status, request_id
| filter operation = "getApplication"
| filter job_id = "JOB" and candidate_id = "CANDIDATE"
| sort @timestamp desc
| limit 1000`,
  'slowest-requests': `
# The requests that took longest. The duration does not hold what a cold start does before it.
fields @timestamp, operation, duration_ms, cold_start, outcome, client, request_id
| filter ispresent(duration_ms)
| sort duration_ms desc
| limit 100`,
  'refusals-by-client': `
# Which client is refused what: a wrong set-up, a fault of its own, or an attack.
# Requests without a valid token have no client.
filter ispresent(outcome) and outcome != "ok"
| stats count(*) as refusals by client, operation, outcome
| sort refusals desc
| limit 100`,
  'requests-by-client': `
# Who sends how much. What API Gateway answered with 429 has reached no function: see its access log.
filter ispresent(outcome)
| stats count(*) as total, sum(duration_ms) as total_ms by client, operation
| sort total desc
| limit 100`,
  'cold-starts': `
# How many requests came to a new instance of a function, and how long they took once it was there.
filter ispresent(cold_start)
| stats sum(cold_starts) as cold, count(*) as total, pct(duration_ms, 99) as p99_ms by operation, bin(1h)
| sort operation`,
} as const;

/** The queries above, saved beside the functions' logs: in the console under the stack's name. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { logGroups }: { logGroups: readonly ILogGroup[] }) {
    super(scope, id);
    for (const [name, query] of Object.entries(queries)) {
      new CfnQueryDefinition(this, name, {
        name: `${Stack.of(this).stackName}/${name}`,
        queryString: query.trim(),
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      });
    }
  }
}
