import { Application } from '../../../functions/domain/application.ts';
import { isObject, ownValue } from '../../../functions/domain/own-value.ts';
import { repair } from '../../../functions/domain/repair.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../../functions/store/items.ts';
import { candidateIndex, parseKey } from '../../../functions/store/keys.ts';
import { escapeHidden, jsonValue } from '../../command/output.ts';
import type { RecordKind } from '../records/record-schema.ts';
import { parseRecord } from '../records/records.ts';
import { reasonOf, refusalOfErrors } from '../records/refusal.ts';
import type { RecordMembers } from '../records/storable.ts';
import { isApplicationRecord } from '../records/validators.ts';
import { isTombstone } from '../table/item-name.ts';

interface RecordLine {
  kind: RecordKind;
  text: string;
  /** Why an import would not store the same item; undefined if it would. */
  difference: string | undefined;
}

/**
 * Keeps every attribute, but exports null for a nullable one that the import would refuse. Undefined if the key is
 * malformed.
 */
export function lineOf(item: Item): RecordLine | undefined {
  const parts = parseKey(item);
  if (parts === undefined) return undefined;
  const { tenant } = parts;
  const members = omit(item, ['pk', 'sk', itemAttributes.tenant]);
  if (parts.kind === 'job') {
    const ids = { tenant, id: parts.job };
    return lineWith(item, 'job', ids, omit(members, [itemAttributes.job]));
  }
  if (parts.kind === 'erasure') {
    return lineWith(item, 'erasure', { tenant, user_id: parts.candidate }, members);
  }
  const { job, candidate } = parts;
  if (isTombstone(item)) {
    const ids = { tenant, job_id: job, user_id: candidate };
    return lineWith(item, 'removal', ids, omit(members, [revisionAttributes.removed]));
  }
  const ids = { tenant, job_id: job };
  return lineWith(item, 'application', ids, omit(members, [candidateIndex.partitionKey]));
}

const omit = (members: RecordMembers, names: readonly string[]): RecordMembers =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

function lineWith(
  item: Item,
  kind: RecordKind,
  ids: RecordMembers,
  members: RecordMembers,
): RecordLine {
  const stored = { type: kind, ...ids, ...inOrder(members) };
  const { record, nulls, reason } =
    kind === 'application' ? importable(stored) : { record: stored };
  const differences = [reason, differenceOf({ ...item, ...nulls }, record)].filter(Boolean);
  return {
    kind,
    text: escapeHidden(JSON.stringify(record)),
    difference: differences.length > 0 ? differences.join('; ') : undefined,
  };
}

/** @returns `nulls`: the top-level members in which a value became null, as they are exported. */
function importable(record: RecordMembers): {
  record: RecordMembers;
  nulls?: RecordMembers;
  reason?: string;
} {
  if (isApplicationRecord(record)) return { record };
  const errors = isApplicationRecord.errors ?? [];
  const { value, repaired } = repair(Application, record, errors);
  if (!isObject(value) || repaired.length === 0) return { record };
  const paths = new Set(repaired.map(({ path }) => path));
  const faults = errors.filter(({ instancePath }) => paths.has(instancePath));
  const names = new Set(Array.from(paths, (path) => path.split('/')[1] ?? ''));
  return {
    record: value,
    nulls: Object.fromEntries(Array.from(names, (name) => [name, value[name]])),
    reason: `exported as null, because the import refuses it: ${reasonOf(refusalOfErrors(faults))}`,
  };
}

function differenceOf(item: Item, record: RecordMembers): string | undefined {
  // Any file will do: which bucket is valid depends on the deployment that imports the line.
  const parsed = parseRecord(record, { checkFile: () => undefined });
  if ('faults' in parsed) return `the import refuses the record: ${reasonOf(parsed)}`;
  const different = differentMembers(item, parsed.item);
  if (different.length === 0) return undefined;
  return `the import stores other values of ${different.join(', ')}`;
}

/** A missing member equals null, because the import does not store null. */
function differentMembers(one: RecordMembers, other: RecordMembers): string[] {
  const missing = Object.keys(other).filter((name) => !Object.hasOwn(one, name));
  const names = missing.length > 0 ? [...Object.keys(one), ...missing] : Object.keys(one);
  return names.filter((name) => !isSame(ownValue(one, name), ownValue(other, name)));
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, at) => isSame(entry, other[at]));
  }
  if (isObject(one) && isObject(other)) return differentMembers(one, other).length === 0;
  return (one ?? null) === (other ?? null);
}

/** Sorts at any depth: DynamoDB returns members in any order. */
function inOrder(members: RecordMembers): RecordMembers {
  const names = Object.keys(members).toSorted();
  return Object.fromEntries(names.map((name) => [name, ordered(members[name])]));
}

function ordered(value: unknown): unknown {
  const plain = jsonValue(value);
  if (Array.isArray(plain)) return plain.map(ordered);
  return isObject(plain) ? inOrder(plain) : plain;
}
