import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { buildPackage } from '../../../../infra/data/writer/build.ts';
import { recordWriter } from '../../../../infra/data/writer/record-writer.ts';
import { startService } from '../../../support/service.ts';
import { databaseEnvironment } from '../../../support/table.ts';

const root = new URL('../../../../', import.meta.url);
const page = await readFile(new URL('docs/live-data.md', root), 'utf8');

function snippet(language: string, text: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, of, code]) => of === language && code?.includes(text));
  if (!found?.[2]) throw new Error(`docs/live-data.md has no ${language} with ${text}.`);
  return found[2];
}

/** IAM's name for each action in a transaction ("IAM and DynamoDB transactions", Developer Guide). */
const ACTIONS: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

const message = (messageId: string, content: unknown) => ({
  messageId,
  body: typeof content === 'string' ? content : JSON.stringify(content),
});

describe('the page on live data', async () => {
  const service = await startService();
  const record = JSON.parse(snippet('json', '"job_id"'));
  const folder = await mkdtemp(join(tmpdir(), 'live-data-'));
  await mkdir(join(folder, 'node_modules'));
  await buildPackage(join(folder, 'node_modules/recruitment-writer'));
  const sdk = fileURLToPath(new URL('node_modules/@aws-sdk', root));
  await symlink(sdk, join(folder, 'node_modules/@aws-sdk'));
  await writeFile(join(folder, 'application.json'), JSON.stringify(record));
  await writeFile(join(folder, 'write.mjs'), snippet('js', '// write.mjs'));
  await copyFile(new URL('docs/recipes/sqs-handler.mjs', root), join(folder, 'sqs-handler.mjs'));
  afterAll(() => rm(folder, { recursive: true }));

  const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const env = { ...process.env, ...databaseEnvironment(), TABLE: service.table.name };
    return promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { ...env, ...variables },
    });
  };

  const read = (candidate_id: string) =>
    service.getApplication({ pathParameters: { id: record.job_id, candidate_id } });

  it('stores its application, which the API then returns', async () => {
    const { stdout } = await run(['write.mjs']);
    expect(stdout).toBe('created\nstored\n');
    const { status, body } = await read(record.user_id);
    expect(status).toBe(200);
    const { job_id: _, created_at, ...members } = record;
    expect(body).toMatchObject({ ...members, created_at: new Date(created_at).toISOString() });
    const again = await run(['write.mjs']);
    expect(again.stdout).toBe('exists\nstored\n');
  });

  it('has a function for SQS that stores a batch, and moves what is invalid to another queue', async () => {
    const moved: { MessageBody: string }[] = [];
    await using queue = createServer(async (request, response) => {
      const message = JSON.parse(Buffer.concat(await request.toArray()).toString());
      moved.push(message);
      // The SDK compares this checksum with its own.
      const MD5OfMessageBody = createHash('md5').update(message.MessageBody).digest('hex');
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody }));
    });
    await new Promise<void>((resolve) => void queue.listen(0, '127.0.0.1', resolve));
    const address = queue.address();
    if (typeof address !== 'object') throw new Error('The queue has no port.');
    const endpoint = `http://127.0.0.1:${address?.port}`;
    const revision = Date.now();
    const { email: _, ...incomplete } = { ...record, user_id: 'c-3' };
    const removed = { job_id: record.job_id, user_id: 'c-2' };
    const invalid = [
      message('3', { record: incomplete, revision }),
      message('4', 'not JSON'),
      message('6', 'null'),
    ];
    const Records = [
      message('1', { record: { ...record, user_id: 'c-1' }, revision }),
      message('2', { remove: removed, revision: revision + 1 }),
      message('5', { record: { ...record, ...removed }, revision }),
      ...invalid,
    ];
    const call = `const { handler } = await import('./sqs-handler.mjs');
      console.log(JSON.stringify(await handler(${JSON.stringify({ Records })})));`;
    const { stdout, stderr } = await run(['--input-type=module', '-e', call], {
      AWS_ENDPOINT_URL_SQS: endpoint,
      INVALID_QUEUE_URL: `${endpoint}/1/invalid`,
    });
    expect(JSON.parse(stdout)).toEqual({ batchItemFailures: [] });
    expect(moved.map(({ MessageBody }) => MessageBody).toSorted()).toEqual(
      invalid.map(({ body }) => body).toSorted(),
    );
    expect(stderr).not.toContain('Bia');
    expect((await read('c-1')).status).toBe(200);
    expect((await read('c-2')).status).toBe(404);
  });

  it('has a function for SQS that returns a message to the queue while DynamoDB is out of reach', async () => {
    const Records = [message('1', { record, revision: Date.now() })];
    const call = `const { handler } = await import('./sqs-handler.mjs');
      console.log(JSON.stringify(await handler(${JSON.stringify({ Records })})));`;
    const { stdout } = await run(['--input-type=module', '-e', call], {
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    });
    expect(JSON.parse(stdout)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });

  it('has a policy that allows just what the writer sends', async () => {
    const sent: { action: string; key: string }[] = [];
    const client = new DynamoDBClient({ endpoint: inject('databaseEndpoint') });
    client.middlewareStack.add(
      (next) => (args) => {
        const { TransactItems = [] } = { TransactItems: [], ...args.input };
        for (const [kind, action] of TransactItems.flatMap((each) => Object.entries(each))) {
          const { Key, Item } = Object(action);
          const { pk } = Object(Key ?? Item);
          sent.push({ action: `dynamodb:${ACTIONS[kind]}`, key: pk.S });
        }
        return next(args);
      },
      { step: 'initialize' },
    );
    const settings = { client, table: service.table.name, tenantClaim: 'org' };
    const writer = recordWriter(settings);
    const ids = { tenant: 'acme', job_id: 'gh:1', user_id: 'c#1' };
    await writer.createJob({ tenant: 'acme', id: ids.job_id, status: 'draft' });
    await writer.removeApplication(ids, Date.now() - 1);
    await writer.putApplication({ ...record, ...ids }, Date.now());
    const { Statement } = JSON.parse(snippet('json', '"Statement"'));
    const allowed = (
      Statement as {
        Action: string | string[];
        Condition: Record<string, Record<string, string>>;
      }[]
    ).flatMap(({ Action, Condition }) =>
      [Action].flat().map((action) => ({
        action,
        pattern: Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'],
      })),
    );
    const used = new Set<object>();
    for (const { action, key } of sent) {
      const rule = allowed.find(
        (each) => each.action === action && matchesGlob(key, each.pattern ?? ''),
      );
      expect(rule, `${action} of ${key}`).toBeDefined();
      if (rule) used.add(rule);
    }
    expect(allowed.filter((each) => each.pattern && !used.has(each))).toEqual([]);
  });
});
