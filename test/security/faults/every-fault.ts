import { dynamoError, type Fault } from '../../support/faults.ts';

const FAILED = dynamoError(500, 'InternalServerError');
const html = { status: 200, body: '<html>Invented.</html>' };

/** The fault that is within every limit. */
const ON_TIME = 'answers late';

/** Every fault, and whether the database does the work of the request that meets it. */
export const faults: Record<string, [Fault, isDone: boolean]> = {
  [ON_TIME]: [{ delayedBy: 300 }, true],
  'answers after the time-out': ['too late', true],
  'loses the answer': ['answer lost', true],
  'loses the request for a while': [{ lateAfter: () => Promise.resolve() }, true],
  'breaks the connection': ['reset', false],
  'is silent': ['hang', false],
  'stops in the middle of its answer': ['stalled', true],
  'answers drop by drop': ['dripping', true],
  'answers half of the text': ['truncated', true],
  'breaks the connection in its answer': ['cut off', true],
  'answers with garbled bytes': ['garbled', true],
  'does not speak HTTP': ['no http', false],
  'answers with a web page': [html, false],
  'does its work and answers nothing': [{ doneBut: { status: 200, body: '' } }, true],
  'does its work and refuses without a word': [{ doneBut: { status: 400, body: '' } }, true],
  'refuses without a word': [{ status: 400, body: '{}' }, false],
  fails: [FAILED, false],
  'fails in a way of its own': [dynamoError(501, 'NotImplementedException'), false],
  'does its work and fails': [{ doneBut: { status: 500, body: '{}' } }, true],
  'does its work behind a gateway that gives up': [{ doneBut: { status: 504, body: '' } }, true],
  // A name does not make it an answer of DynamoDB, whose own refusals have the status 400.
  'does its work behind a gateway that forbids it by name': [
    { doneBut: dynamoError(403, 'ForbiddenException') },
    true,
  ],
  'does its work behind a gateway that throttles by name': [
    { doneBut: dynamoError(429, 'TooManyRequestsException') },
    true,
  ],
  'is unavailable': [{ status: 503, body: '' }, false],
  'throttles the table': [dynamoError(400, 'ProvisionedThroughputExceededException'), false],
  'throttles the account': [dynamoError(400, 'ThrottlingException'), false],
};

/** To a read these are errors of the deployment. */
const isInternal = new Set(['does its work behind a gateway that forbids it by name']);

/** After these the SDK does not send a request again: it takes them for answers, or for the last word. */
const isFinal = new Set([
  'answers half of the text',
  'answers with garbled bytes',
  'does not speak HTTP',
  'answers with a web page',
  'does its work and answers nothing',
  'does its work and refuses without a word',
  'refuses without a word',
  'fails in a way of its own',
  ...isInternal,
]);

/** How often the functions try a request. */
const ATTEMPTS = 3;

/** What a function has to make of a request whose attempts meet faults. */
export interface Expected {
  status: 200 | 500 | 503;
  attempts: number;
  /** Whether the database does the work of an attempt. */
  isDone: boolean;
}

/** What follows from a schedule: the fault of each attempt; those after its last meet none. */
export function expectedOf(schedule: readonly string[], isRead: boolean): Expected {
  let isDone = false;
  for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
    const name = schedule[attempts - 1];
    isDone ||= name === undefined || faults[name]?.[1] === true;
    if (name === undefined || name === ON_TIME) return { status: 200, attempts, isDone };
    const status = isRead && isInternal.has(name) ? 500 : 503;
    if (isFinal.has(name)) return { status, attempts, isDone };
  }
  return { status: 503, attempts: ATTEMPTS, isDone };
}
