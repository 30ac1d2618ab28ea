import type { OperationName } from '../../../functions/contract/operations.ts';
import type { ProblemCode } from '../../../functions/contract/problem.ts';
import type { Fault } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import type { TestIssuer } from '../../support/issuer.ts';
import type { Person } from './canaries.ts';

/** What a request is about: one that holds the data of a person wherever it can. */
export interface Exposed {
  /** What comes of it. */
  outcome: ProblemCode | 'ok';
  request: TestRequest;
  /** What the database does with it. */
  fault?: Fault;
  /** What is stored under its key. */
  item?: Record<string, unknown>;
}

/** What a table of requests is made of. */
export interface Exposure {
  who: Person;
  issuer: TestIssuer;
  operation: OperationName;
}
