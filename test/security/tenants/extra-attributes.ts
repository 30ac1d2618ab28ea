import fc from 'fast-check';
import {
  Application,
  Education,
  Evaluation,
  Experience,
} from '../../../functions/domain/application.ts';
import { type AttributeValue, attributeOf, members } from './raw-item.ts';

/** Stands in everything that is stored beside the contract's attributes. */
export const CANARY = 'canary-7f3a';
export const CANARY_NUMBER = 7_313_371_337;
export const BYTES = Buffer.from(CANARY).toString('base64');
export const leak = new RegExp(`canary|7313371337|${BYTES.slice(0, 12)}`, 'i');

const { evaluator: Evaluator } = Evaluation.properties;
const known = (schema: { properties: object }) => Object.keys(schema.properties);
/** Names that the contract uses somewhere, and so not everywhere. */
const familiar = [
  ...new Set([Application, Education, Experience, Evaluation, Evaluator].flatMap(known)),
];
const notorious = [
  ...'__proto__ constructor prototype toJSON toString valueOf hasOwnProperty then'.split(' '),
  ...'__defineGetter__ length properties items type required statusCode headers'.split(' '),
  ...'Email NAME e-mail email.address salary ssn notes tenant_id job_id body'.split(' '),
  ...'$ref $metadata M S L NULL 0 -1'.split(' '),
  'name ',
  'name\u0000',
];

const extraName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...notorious) },
  { weight: 2, arbitrary: fc.constantFrom(...familiar) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20 }).map((name) => `x${name}`) },
);
const { tree: extraValue } = fc.letrec<{ tree: AttributeValue }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<AttributeValue>(
      { S: CANARY },
      { N: String(CANARY_NUMBER) },
      { B: BYTES },
      { SS: [CANARY, `${CANARY} two`] },
      { NS: [String(CANARY_NUMBER)] },
      { BS: [BYTES] },
      // What the contract has, under a name of the object's prototype.
      attributeOf({ name: CANARY, email: CANARY, summary: CANARY, comment: CANARY, M: CANARY }),
    ),
    fc.array(tie('tree'), { maxLength: 3 }).map((L) => ({ L })),
    fc
      .array(fc.tuple(extraName, tie('tree')), { maxLength: 3 })
      .map((entries) => ({ M: members(entries) })),
  ),
}));
/** Attributes that hold the canary. */
export const extras = fc.uniqueArray(fc.tuple(extraName, extraValue), {
  minLength: 1,
  maxLength: 6,
  selector: ([name]) => name,
});

/** What the contract lets be absent, for an attribute of the prototype to stand in for. */
export const absentable = familiar.filter((name) =>
  ['summary', 'phone', 'city', 'position', 'comment', 'degree', 'company'].includes(name),
);

export type Extras = readonly (readonly [string, AttributeValue])[];

/** A map in the wire format with more attributes, none of which `schema` names. */
export function withExtras(schema: { properties: object }, wire: AttributeValue, added: Extras) {
  const kept = added.filter(([name]) => !Object.hasOwn(schema.properties, name));
  return members([...kept, ...Object.entries(Object(wire))]);
}
