import { RecruitmentClient, RecruitmentError } from './client.mts';

const { env } = process;
const client = new RecruitmentClient({
  baseUrl: env.BASE_URL ?? 'http://127.0.0.1:3000',
  tokenEndpoint: env.TOKEN_ENDPOINT ?? 'http://127.0.0.1:3001/token',
  clientId: env.CLIENT_ID ?? 'client',
  clientSecret: env.CLIENT_SECRET ?? 'secret',
  // With Cognito: 'recruitment/applications:read recruitment/jobs:write'
  scope: env.SCOPE ?? 'applications:read jobs:write',
});

for (const candidate of ['c-1001', 'unknown']) {
  try {
    console.log((await client.getApplication('4007', candidate)).name);
  } catch (error) {
    if (!(error instanceof RecruitmentError)) throw error;
    console.log(error.message);
  }
}

// Only if the job is not archived, nor changed by somebody else since.
const { status, version } = await client.getJobState('4007');
if (status !== 'archived') {
  const change = await client.setJobStatus('4007', 'paused', version, { timeoutMs: 10_000 });
  console.log(change.outcome, change.lost, change.version);
}
