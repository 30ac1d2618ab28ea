import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readHandler, updateHandler } from './handlers.ts';
import { keysByFetch, verifier } from './token.ts';

const client = new DynamoDBClient({});
const subjectOf = verifier(keysByFetch());

export const getApplication = /* @__PURE__ */ readHandler(client, subjectOf);
export const updateJobStatus = /* @__PURE__ */ updateHandler(client, subjectOf);
