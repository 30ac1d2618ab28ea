import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  Application,
  Education,
  Evaluation,
  Experience,
} from '../../functions/domain/application.ts';
import { applicationKey } from '../../functions/store/keys.ts';
import { fullApplication } from '../support/items.ts';
import { useService } from '../support/service.ts';
import { printCounts, scaled, seed } from './random-cases.ts';
import {
  absentable,
  BYTES,
  CANARY,
  CANARY_NUMBER,
  type Extras,
  extras,
  leak,
  withExtras,
} from './tenants/extra-attributes.ts';
import { type AttributeValue, attributeOf, members, putRaw } from './tenants/raw-item.ts';

const FIELDS = [
  ...['user_id', 'name', 'email', 'phone', 'linked_in', 'city', 'region', 'country', 'summary'],
  ...['position', 'education', 'experience', 'stage_id', 'stage_title', 'score', 'created_at'],
  ...['resume_url', 'video_url', 'evaluations'],
];

function stripped(value: unknown, absent: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => stripped(entry, absent));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !absent.includes(name))
      .map(([name, member]) => [name, stripped(member, absent)]),
  );
}

/** The answer to the full application without some attributes: they are null, in their places. */
const expected = (absent: readonly string[]) =>
  JSON.stringify(fullApplication, (name, value) => (absent.includes(name) ? null : value));

describe('what is stored beside the attributes of the contract', () => {
  const service = useService();
  const counts = { items: 0, 'extra attributes': 0, leaks: 0 };
  afterAll(() => printCounts('stored attributes', counts));

  const wireOf = (value: unknown) => attributeOf(value).M as AttributeValue;

  function itemOf(candidate: string, absent: readonly string[], added: readonly Extras[]) {
    const [top = [], education = [], experience = [], evaluation = [], evaluator = []] = added;
    const stored = Object(stripped(fullApplication, absent));
    const [evaluated] = stored.evaluations;
    const wire = {
      ...wireOf(stored),
      education: {
        L: stored.education.map((entry: unknown) => ({
          M: withExtras(Education, wireOf(entry), education),
        })),
      },
      experience: {
        L: stored.experience.map((entry: unknown) => ({
          M: withExtras(Experience, wireOf(entry), experience),
        })),
      },
      evaluations: {
        L: [
          {
            M: withExtras(
              Evaluation,
              {
                ...wireOf(evaluated),
                evaluator: {
                  M: withExtras(
                    Evaluation.properties.evaluator,
                    wireOf(evaluated.evaluator),
                    evaluator,
                  ),
                },
              },
              evaluation,
            ),
          },
        ],
      },
    };
    const reserved = ['pk', 'sk', 'expires_at'];
    const item = withExtras(
      Application,
      wire,
      top.filter(([name]) => !reserved.includes(name)),
    );
    const { pk, sk } = applicationKey('default', 'j-1', candidate);
    return members([...Object.entries(item), ['pk', { S: pk }], ['sk', { S: sk }]]);
  }

  it('never leaves: not in an answer, not in the log', async () => {
    expect(Object.keys(fullApplication)).toEqual(FIELDS);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(absentable),
        fc.tuple(extras, extras, extras, extras, extras),
        async (absent, added) => {
          const candidate = `c-${counts.items}`;
          counts.items += 1;
          counts['extra attributes'] += added.flat().length;
          await putRaw(service.table.name, itemOf(candidate, absent, added));
          const answer = await service.getApplication({
            pathParameters: { id: 'j-1', candidate_id: candidate },
          });
          const all = answer.text + JSON.stringify(answer.headers) + service.log.text;
          if (leak.test(all)) counts.leaks += 1;
          expect(Object.keys(answer.body)).toEqual(FIELDS);
          expect(answer.text).toBe(expected(absent));
          expect(all).not.toMatch(leak);
        },
      ),
      { numRuns: scaled(300), seed: seed() },
    );
    expect(counts.leaks).toBe(0);
  });

  it('is found by this search if it does leave', () => {
    for (const shown of [CANARY, CANARY_NUMBER, BYTES, CANARY.toUpperCase()]) {
      expect(`{"name":"${shown}"}`).toMatch(leak);
    }
  });
});
