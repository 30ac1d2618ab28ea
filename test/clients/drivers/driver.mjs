// Makes the calls that scripted.mjs tells on standard input, and prints what came of each.
// Usage: node driver.mjs, beside client.mts
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecruitmentClient, RecruitmentError } from './client.mts';

const { baseUrl, tokenEndpoint, attemptSeconds, atOnce, calls } = await json(process.stdin);
const client = new RecruitmentClient({
  baseUrl,
  tokenEndpoint,
  clientId: 'client',
  clientSecret: 'secret',
  scope: 'jobs:write',
  attemptMs: attemptSeconds * 1000,
});

async function make({ operation, job, seconds }) {
  const limit = { timeoutMs: seconds * 1000 };
  if (operation === 'set') {
    const { outcome, lost, version, reason } = await client.setJobStatus(
      job,
      'paused',
      '"7"',
      limit,
    );
    return { printed: `${outcome} ${lost} ${version}`, reason };
  }
  try {
    return { printed: (await client.getApplication(job, 'c-1', limit)).name };
  } catch (error) {
    if (!(error instanceof RecruitmentError)) throw error;
    return { printed: `error ${error.response.status}`, reason: error.message };
  }
}

const results = [];
const waiting = calls.map((call, index) => ({ ...call, index }));
async function worker() {
  for (let call = waiting.shift(); call; call = waiting.shift()) {
    await sleep(call.after * 1000);
    const started = performance.now();
    const result = await make(call);
    results[call.index] = { ...result, seconds: (performance.now() - started) / 1000 };
  }
}
await Promise.all(Array.from({ length: atOnce }, worker));
process.stdout.write(JSON.stringify(results), () => process.exit());
