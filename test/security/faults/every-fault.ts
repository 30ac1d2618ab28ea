import { dynamoError, type Fault } from '../../support/faults.ts';

/** The fault that stays within every limit. */
const ON_TIME = 'responds late';

/** Every fault, and whether the database applies the request that meets the fault. */
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
  // The error name does not prove that DynamoDB responded, because DynamoDB rejects requests with 400.
  'does its work behind a gateway that forbids it by name': [
    { doneBut: dynamoError(403, 'ForbiddenException') },
    true,
  ],
  'throttles the account': [dynamoError(400, 'ThrottlingException'), false],
};

/** The faults without a retry, because they look like responses. */
const isFinal = new Set(['does its work and sends nothing']);

/** The maximum number of attempts of a request. */
const ATTEMPTS = 3;

/** The expected outcome of a request whose attempts meet faults. */
interface Expected {
  status: 200 | 503;
  attempts: number;
  /** Whether the database applies an attempt. */
  isDone: boolean;
}

/** Returns the expected outcome of a schedule, which has the fault of each attempt. Later attempts meet no fault. */
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
