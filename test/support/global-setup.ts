import type { TestProject } from 'vitest/node';
import { startDatabase } from '../../infra/local/database.ts';
import { buildBundles } from '../../infra/stack/bundle/bundles.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The embedded DynamoDB's, unless AWS_ENDPOINT_URL_DYNAMODB names another database. */
    databaseEndpoint: string;
  }
}

export default async function setup(project: TestProject) {
  await buildBundles();
  const report = (text: string) => project.vitest.logger.log(text);
  const named = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const database = named === undefined ? await startDatabase(report, [0]) : undefined;
  project.provide('databaseEndpoint', database?.endpoint ?? named ?? '');
  return () => database?.stop();
}
