import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../functions/runtime/logger.ts';
import { scaled, seed } from './random-cases.ts';

const CANARY = 'canary@example.com';
const text = fc.oneof(
  fc.constantFrom(CANARY, `${CANARY}\n    at ${CANARY}`, `bad\n    at /home/${CANARY}:1:2`),
  fc.string().map((other) => `${other}${CANARY}${other}`),
);
const members = fc.constantFrom(CANARY, `${CANARY}\n    at ${CANARY}`);

/** What code may throw: what is no error, and errors of which every member may hold personal data. */
const { thrown } = fc.letrec<{ thrown: unknown }>((tie) => ({
  thrown: fc.oneof(
    { depthSize: 'medium' },
    text,
    fc.constantFrom<unknown>(null, undefined, Symbol(CANARY), [CANARY], { body: CANARY }),
    fc
      .tuple(fc.constantFrom(Error, TypeError, SyntaxError), text, tie('thrown'))
      .chain(([Type, message, cause]) =>
        fc
          .dictionary(fc.constantFrom('name', 'code', 'message', 'toJSON', 'Item'), members)
          .map((changed) => Object.assign(new Type(message, { cause }), changed)),
      ),
    fc
      .tuple(text, tie('thrown'))
      .map(([message, error]) => new AggregateError([error, message], message, { cause: error })),
  ),
}));

describe('personal data in an error that was not expected', () => {
  it('is not in its description, whatever was thrown and whatever caused it', () => {
    const property = fc.property(thrown, (error) => {
      const description = describeFailure(error);
      expect(JSON.stringify(description)).not.toContain('canary');
    });
    fc.assert(property, { numRuns: scaled(10_000), seed: seed() });
  });
});
