import { describe, expect, it } from 'vitest';
import { isApplication } from '#validators';
import { Application } from '../../../functions/domain/application.ts';
import { fullApplication } from '../../support/items.ts';

const NEVER_NULL = ['user_id', 'name', 'email', 'stage_id', 'stage_title', 'created_at'];
const LISTS = ['education', 'experience', 'evaluations'];
const SCALARS = Object.keys(Application.properties).filter((name) => !LISTS.includes(name));

const without = (name: string) =>
  Object.fromEntries(Object.entries(fullApplication).filter(([key]) => key !== name));

describe('the schema of an application', () => {
  it.each(Object.keys(Application.properties))('rejects an application without %s', (name) => {
    expect(isApplication(without(name))).toBe(false);
  });

  it.each(SCALARS)('lets %s be null only if the candidate may leave it out', (name) => {
    const isNullable = !NEVER_NULL.includes(name);
    expect(isApplication({ ...fullApplication, [name]: null })).toBe(isNullable);
  });

  it.each(LISTS)('accepts an empty list of %s, but not null', (name) => {
    expect(isApplication({ ...fullApplication, [name]: [] })).toBe(true);
    expect(isApplication({ ...fullApplication, [name]: null })).toBe(false);
  });

  it('has six recommendations, one of which is null', () => {
    const [evaluation] = fullApplication.evaluations;
    const isKnown = (recommendation: string | null) =>
      isApplication({ ...fullApplication, evaluations: [{ ...evaluation, recommendation }] });
    const all = ['strong_yes', 'yes', 'no_decision', 'no', 'definitely_not', null, 'maybe'];
    expect(all.filter(isKnown)).toEqual(all.slice(0, -1));
  });
});
