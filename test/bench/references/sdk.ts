import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readHandler, updateHandler } from './http.ts';
import { readingWith, settingWith } from './store.ts';
import { keysByFetch, verifier } from './token.ts';

const client = new DynamoDBClient({});
const subjectOf = verifier(keysByFetch());

export const getApplication = /* @__PURE__ */ readHandler(
  subjectOf,
  /* @__PURE__ */ readingWith(client),
);
export const updateJobStatus = /* @__PURE__ */ updateHandler(
  subjectOf,
  /* @__PURE__ */ settingWith(client),
);
