import type { TestProject } from 'vitest/node';
import { buildBundles } from '../../infra/build/bundles.ts';
import { startDatabase } from '../../infra/local/database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the embedded DynamoDB, or of the one that the environment names. */
    databaseEndpoint: string;
  }
}

/** Builds the validators and the functions, and starts one embedded DynamoDB for all tests. */
export default async function setup(project: TestProject) {
  await buildBundles();
  const named = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const database = named === undefined ? await startDatabase() : undefined;
  project.provide('databaseEndpoint', database?.endpoint ?? named ?? '');
  return () => database?.stop();
}
