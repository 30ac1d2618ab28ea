import { expect } from 'vitest';
import type { Operation } from '../../../../functions/contract/operation.ts';
import { operationNames, operations } from '../../../../functions/contract/operations.ts';
import { problemTypes } from '../../../../functions/contract/problem.ts';
import type { Answer, TestRequest } from '../../../support/invoke.ts';
import { applicationItem, fullApplication, jobItem } from '../../../support/items.ts';
import type { CapturedLog } from '../../../support/log.ts';
import type { Functions } from '../../../support/service.ts';
import type { TestTable } from '../../../support/table.ts';
import type { Outcome, Row } from './row.ts';
import type { Setup } from './setup.ts';

/** The ids that good tokens and all others ask for. No request may change the items of the second. */
const OPEN = 'open';
const GUARDED = 'guarded';

const challengeOf = (outcome: Outcome, scope: string): string | undefined =>
  ({
    accepted: undefined,
    not_found: undefined,
    unauthenticated: 'Bearer realm="recruitment"',
    invalid_token: 'Bearer realm="recruitment", error="invalid_token"',
    insufficient_scope: `Bearer realm="recruitment", error="insufficient_scope", scope="${scope}"`,
    no_tenant: `Bearer realm="recruitment", error="insufficient_scope", scope="${scope}"`,
  })[outcome];

const statusOf: Readonly<Record<Outcome, number>> = {
  accepted: 200,
  not_found: 404,
  unauthenticated: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  no_tenant: 403,
};

/** What a client sees of an outcome: the status, the code and the challenge (RFC 6750, section 3). */
function seenOf(outcome: Outcome, { scope, problems }: Operation) {
  const missing = problems.find((code) => problemTypes[code].status === 404);
  return {
    status: statusOf[outcome],
    code: outcome === 'accepted' ? undefined : outcome === 'not_found' ? missing : outcome,
    challenge: challengeOf(outcome, scope),
  };
}

/** Stores the items that the rows ask for. */
export async function putItems(table: TestTable, tenant: string): Promise<void> {
  for (const job of [OPEN, GUARDED]) {
    await table.put(applicationItem({ tenant, job }));
    await table.put(jobItem({ tenant, job }));
  }
}

/** Sends the tokens of rows to all functions, checks the answers and counts them. */
export class TokenChecker {
  readonly counts = { tokens: 0, sent: 0, accepted: 0, 'wrongly accepted': 0, 'answered 5xx': 0 };
  readonly #log: CapturedLog;

  constructor(log: CapturedLog) {
    this.#log = log;
  }

  /** Checks that all functions answer and log what the row expects. */
  async check(row: Row, setup: Setup, functions: Functions): Promise<void> {
    this.counts.tokens += 1;
    for (const operation of Object.values(operations)) {
      await this.#send(row, setup, operation, functions[operation.operationId]);
    }
    const { expected, caller = {} } = row;
    const outcome = expected === 'accepted' ? 'ok' : expected;
    if (expected === 'not_found') return;
    expect(this.#log.lines).toMatchObject(operationNames.map(() => ({ ...caller, outcome })));
  }

  async #send(
    row: Row,
    setup: Setup,
    operation: Operation,
    call: (request: TestRequest) => Promise<Answer>,
  ): Promise<void> {
    const made = await row.make(setup, operation.scope);
    const id = row.expected === 'accepted' ? OPEN : GUARDED;
    const answer = await call({
      pathParameters: { id, candidate_id: 'c-1' },
      ...(typeof made === 'string' ? { token: made } : { token: undefined, ...made }),
    });
    this.#count(row, answer);
    const { status, body, headers, text } = answer;
    const seen = { status, code: body.code, challenge: headers['WWW-Authenticate'] };
    expect(seen).toEqual(seenOf(row.expected, operation));
    if (row.expected !== 'accepted') expect(text).not.toContain(fullApplication.name);
  }

  #count(row: Row, { status }: Answer): void {
    this.counts.sent += 1;
    if (status === 200) this.counts.accepted += 1;
    if (status === 200 && row.expected !== 'accepted') this.counts['wrongly accepted'] += 1;
    if (status >= 500) this.counts['answered 5xx'] += 1;
  }
}

/** The job that only refused tokens asked to change, as it was stored. */
export const guardedJob = (tenant: string) => jobItem({ tenant, job: GUARDED });
