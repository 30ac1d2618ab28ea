import type { SchemaObject } from 'ajv';
import { isObject, ownValue } from '../../../functions/domain/own-value.ts';
import { isRefusedName, MAX_NESTING } from '../../../functions/domain/platform-json.ts';
import type { Fault } from './published-types.ts';
import { MAX_FAULTS } from './refusal.ts';
import { isStorableNumber, platformName, storableNumber, storableText } from './storable.ts';

const text = new RegExp(storableText.pattern, 'u');
const nameText = new RegExp(platformName.pattern, 'u');

/** Leaves out the name: it may be an e-mail address. */
const NAME_RULE = `has a member whose name is refused: it must be ${platformName.means}`;
const NESTING_RULE = `must have at most ${MAX_NESTING} lists and objects within each other`;
const JSON_RULE = 'must be JSON';

/** Schema of the platform's own members: any JSON. */
const json: SchemaObject = { additionalProperties: true };
json.items = json;

/**
 * Finds the platform's own members that break the rules in `platform-json.ts`, or are not JSON, such as a date or a map
 * in a live write. Stops at the fifth fault.
 */
export function platformFaults(schema: SchemaObject, record: unknown): Fault[] {
  const faults: Fault[] = [];
  const report = (member: string, rule: string | undefined) => {
    if (rule !== undefined) faults.push({ member, rule });
  };

  /** @param levels of nesting left. */
  function check(shape: SchemaObject, value: unknown, path: string, levels: number): void {
    if (faults.length === MAX_FAULTS) return;
    const { properties = {}, items, additionalProperties: isOpen } = shape;
    const isPlatforms = shape === json;
    const below = isPlatforms ? levels - 1 : MAX_NESTING;
    if (typeof value !== 'object' || value === null) {
      if (isPlatforms) report(path, scalarRule(value));
    } else if (levels === 0) {
      report(path, NESTING_RULE);
    } else if (Array.isArray(value)) {
      // `forEach` would skip the holes in a sparse list.
      for (const [at, entry] of value.entries()) {
        if (items) check(items, entry, `${path}/${at}`, below);
      }
    } else if (isObject(value)) {
      const described = Object.keys(properties);
      const names = Object.keys(value).filter((name) => value[name] !== undefined);
      const own = isOpen ? names.filter((name) => !described.includes(name)) : [];
      if (own.some((name) => !nameText.test(name) || isRefusedName(name, described))) {
        report(path, NAME_RULE);
      }
      for (const name of names) {
        const member: SchemaObject | undefined = ownValue(properties, name);
        if (member) check(member, value[name], `${path}/${name}`, below);
        else if (isOpen) check(json, value[name], `${path}/${shown(name)}`, below);
      }
    } else if (isOpen) {
      report(path, JSON_RULE);
    }
  }
  check(schema, record, '', MAX_NESTING);
  return faults;
}

function scalarRule(value: unknown): string | undefined {
  if (typeof value === 'string')
    return text.test(value) ? undefined : `must be ${storableText.means}`;
  if (typeof value === 'number') {
    return isStorableNumber(value) ? undefined : `must be ${storableNumber.means}`;
  }
  return value === null || typeof value === 'boolean' ? undefined : JSON_RULE;
}

/** Names that are not one word may be personal data, such as an e-mail address. */
const shown = (name: string) => (/^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u.test(name) ? name : '*');
