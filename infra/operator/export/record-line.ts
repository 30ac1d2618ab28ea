import { isObject, ownValue } from '../../../functions/domain/own-value.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../../functions/store/items.ts';
import { candidateIndex, parseKey } from '../../../functions/store/keys.ts';
import { reasonOf } from '../../records/faults.ts';
import type { Kind } from '../../records/record-schema.ts';
import { readRecord } from '../../records/records.ts';
import type { RecordMembers } from '../../records/storable.ts';
import { isTombstone } from '../cli/item-name.ts';
import { escapeHidden, jsonValue } from '../cli/output.ts';

interface RecordLine {
  kind: Kind;
  text: string;
  /** Why an import would not store the same item; undefined if it would. */
  difference: string | undefined;
}

/** With every attribute, even those that an import refuses. Undefined if the key is malformed. */
export function lineOf(item: Item): RecordLine | undefined {
  const parts = parseKey(item);
  if (parts === undefined) return undefined;
  const { tenant } = parts;
  const { pk: _, sk: __, [itemAttributes.tenant]: ___, ...all } = item;
  if (parts.kind === 'job') {
    const { [itemAttributes.job]: ____, ...members } = all;
    return lineWith(item, 'job', { tenant, id: parts.job }, members);
  }
  if (parts.kind === 'erasure') {
    return lineWith(item, 'erasure', { tenant, user_id: parts.candidate }, all);
  }
  const { job, candidate } = parts;
  if (isTombstone(item)) {
    const { [revisionAttributes.removed]: ____, ...members } = all;
    return lineWith(item, 'removal', { tenant, job_id: job, user_id: candidate }, members);
  }
  const { [candidateIndex.partitionKey]: _____, ...members } = all;
  return lineWith(item, 'application', { tenant, job_id: job }, members);
}

function lineWith(item: Item, kind: Kind, ids: RecordMembers, members: RecordMembers): RecordLine {
  const record = { type: kind, ...ids, ...inOrder(members) };
  return {
    kind,
    text: escapeHidden(JSON.stringify(record)),
    difference: differenceOf(item, record),
  };
}

function differenceOf(item: Item, record: RecordMembers): string | undefined {
  // Any file will do: which bucket is valid depends on the deployment that imports the line.
  const read = readRecord(record, { checkFile: () => undefined });
  if ('faults' in read) return `the import refuses the record: ${reasonOf(read)}`;
  const different = differentMembers(item, read.item);
  if (different.length === 0) return undefined;
  return `the import stores other values of ${different.join(', ')}`;
}

/** A missing member equals null, because the import stores no null. */
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

/** Sorted at any depth, because DynamoDB returns members in any order. */
function inOrder(members: RecordMembers): RecordMembers {
  const names = Object.keys(members).toSorted();
  return Object.fromEntries(names.map((name) => [name, ordered(members[name])]));
}

function ordered(value: unknown): unknown {
  const plain = jsonValue(value);
  if (Array.isArray(plain)) return plain.map(ordered);
  return isObject(plain) ? inOrder(plain) : plain;
}
