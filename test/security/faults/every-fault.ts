import { dynamoError, type Fault } from '../../support/faults.ts';

/** The fault that is within every limit. */
const ON_TIME = 'responds late';

/** Every fault, and whether the database does the work of the request that meets it. */
export const faults: Record<string, [Fault, isDone: boolean]> = {
  [ON_TIME]: [{ delayedBy: 300 }, true],
  'responds after the timeout': ['too late', true],
  'loses the response': ['response lost', true],
  'loses the request for a while': [{ lateAfter: () => Promise.resolve() }, true],
  'breaks the connection': ['reset', false],
  'is silent': ['hang', false],
  'stops in the middle of its response': ['stalled', true],
  'responds drop by drop': ['dripping', true],
  'sends half of the text': ['truncated', true],
  'breaks the connection in its response': ['cut off', true],
  'responds with garbled bytes': ['garbled', true],
  'does not speak HTTP': ['no http', false],
  'responds with a web page': [{ status: 200, body: '<html>Invented.</html>' }, false],
  'does its work and sends nothing': [{ doneBut: { status: 200, body: '' } }, true],
  'does its work and refuses without a word': [{ doneBut: { status: 400, body: '' } }, true],
  'refuses without a word': [{ status: 400, body: '{}' }, false],
  fails: [dynamoError(500, 'InternalServerError'), false],
  'does its work behind a gateway that gives up': [{ doneBut: { status: 504, body: '' } }, true],
  // A name does not make it a response of DynamoDB, whose own rejections have the status 400.
  'does its work behind a gateway that forbids it by name': [
    { doneBut: dynamoError(403, 'ForbiddenException') },
    true,
  ],
  'throttles the account': [dynamoError(400, 'ThrottlingException'), false],
};

/** After these a request is not sent again: they look like responses. */
const isFinal = new Set(['does its work and sends nothing']);

/** How often the functions try a request. */
const ATTEMPTS = 3;

/** What a function has to make of a request whose attempts meet faults. */
export interface Expected {
  status: 200 | 503;
  attempts: number;
  /** Whether the database does the work of an attempt. */
  isDone: boolean;
}

/** What follows from a schedule: the fault of each attempt; those after its last meet none. */
export function expectedOf(schedule: readonly string[]): Expected {
  let isDone = false;
  for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
    const name = schedule[attempts - 1];
    isDone ||= name === undefined || faults[name]?.[1] === true;
    if (name === undefined || name === ON_TIME) return { status: 200, attempts, isDone };
    if (isFinal.has(name)) return { status: 503, attempts, isDone };
  }
  return { status: 503, attempts: ATTEMPTS, isDone };
}
