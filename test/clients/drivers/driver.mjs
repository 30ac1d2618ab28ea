import { createInterface } from 'node:readline';
import { RecruitmentClient, RecruitmentError } from '../../../docs/clients/typescript/client.mts';

async function resultOf(client, { operation, job, version, seconds }) {
  const limit = { timeoutMs: seconds * 1000, ...(seconds < 0 && ENDED) };
  if (operation === 'set') {
    const change = await client.setJobStatus(job, 'paused', version, limit);
    const allowedTransitions = change.problem?.allowed_transitions ?? '';
    const printed = `${change.outcome} ${change.lost} ${change.version}${allowedTransitions}`;
    return { printed, reason: change.reason };
  }
  try {
    if (operation === 'state') {
      const { status, version } = await client.getJobState(job, limit);
      return { printed: `${status} ${version}` };
    }
    return { printed: (await client.getApplication(job, 'c-1', limit)).name };
  } catch (error) {
    if (!(error instanceof RecruitmentError)) throw error;
    return { printed: `error ${error.response.status}`, reason: error.message };
  }
}

const ENDED = { timeoutMs: 1000, signal: AbortSignal.abort() };

for await (const line of createInterface({ input: process.stdin })) void run(JSON.parse(line));
process.exit(); // otherwise, fetch would first wait 10 seconds for an unresponsive host

async function run({ id, attemptSeconds, atOnce, calls, ...settings }) {
  const credentials = { clientId: 'client', clientSecret: 'secret', scope: 'jobs:write' };
  const attemptMs = attemptSeconds * 1000;
  const client = new RecruitmentClient({ ...settings, attemptMs, ...credentials });
  const results = [];
  const waiting = calls.map((call, index) => ({ ...call, index }));
  const worker = async () => {
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      const started = performance.now();
      const result = await resultOf(client, call).catch((error) => ({ printed: `threw ${error}` }));
      results[call.index] = { ...result, seconds: (performance.now() - started) / 1000 };
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  process.stdout.write(`${JSON.stringify({ id, results })}\n`);
}
