import fc from 'fast-check';
import { isIdentifier } from '../../functions/domain/identifier.ts';

/** What keys are made of, and what is hard to encode. */
const part = fc.constantFrom(
  '#',
  '%',
  '%23',
  'APP',
  'APPLICATION#',
  'JOB',
  'TENANT#',
  'a',
  'é',
  '😀',
);
/** Identifiers, often made of what the keys are made of. */
export const identifier = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.array(part, { minLength: 1 }).map((parts) => parts.join('')),
    // As long as it may be.
    fc
      .constantFrom('#', 'é', '日', '😀')
      .map((letter) => letter.repeat(256 / Buffer.byteLength(letter))),
  )
  .filter(isIdentifier);
/** A tenant, a job and a candidate. */
export const triple = fc.tuple(identifier, identifier, identifier);
