import { dynamoError, type Fault } from '../../support/faults.ts';

const FAILED = dynamoError(500, 'InternalServerError');
const html = { status: 200, body: '<html>Invented.</html>' };

/** Every fault, and whether the database does the work of the request that meets it. */
export const faults: Record<string, [Fault, isDone: boolean]> = {
  'answers late': [{ delayedBy: 300 }, true],
  'answers after the time-out': [{ delayedBy: 1200 }, true],
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
  'is unavailable': [{ status: 503, body: '' }, false],
  'throttles the table': [dynamoError(400, 'ProvisionedThroughputExceededException'), false],
  'throttles the account': [dynamoError(400, 'ThrottlingException'), false],
};

/** After these the SDK does not send a request again: it takes them for answers, or for the last word. */
export const isFinal = new Set([
  'answers half of the text',
  'answers with garbled bytes',
  'does not speak HTTP',
  'answers with a web page',
  'does its work and answers nothing',
  'does its work and refuses without a word',
  'refuses without a word',
  'fails in a way of its own',
]);

/** The fault of a name. */
export function faultNamed(name: string): Fault {
  const [fault] = faults[name] ?? [];
  if (fault === undefined) throw new Error(`There is no fault that ${name}.`);
  return fault;
}
