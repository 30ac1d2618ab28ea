import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readHandler, updateHandler } from './bare.ts';
import { keysByFetch } from './token.ts';

const client = new DynamoDBClient({});
const keys = keysByFetch();

export const getApplication = /* @__PURE__ */ readHandler(client, keys);
export const updateJobStatus = /* @__PURE__ */ updateHandler(client, keys);
