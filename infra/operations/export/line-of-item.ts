import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../functions/domain/record.ts';
import { applicationAttributes, type Item, jobAttributes } from '../../../functions/store/items.ts';
import {
  applicationKeyPrefix,
  candidateIndex,
  jobKey,
  jobOf,
  tenantOf,
} from '../../../functions/store/keys.ts';
import { readRecord, withoutNulls } from '../import/records.ts';

/** A line of a file to import. */
export interface ExportedLine {
  kind: 'job' | 'application';
  /** The line without its newline. */
  text: string;
  /** Which record it is, for the operator: its ids alone. */
  name: string;
  /** Why an import of the line would not store the same item; undefined if it would. */
  difference: string | undefined;
}

const quoted = (id: string) => JSON.stringify(id);

/**
 * The line from which an import makes the item. It has every attribute, even one that the import refuses.
 * @returns undefined if the item is neither a job nor an application.
 */
export function lineOf(item: Item): ExportedLine | undefined {
  const tenant = tenantOf(item);
  const job = jobOf(item);
  const where = `job ${quoted(job)} of tenant ${quoted(tenant)}`;
  if (item.sk === jobKey('', '').sk) {
    const { pk, sk, [jobAttributes.tenant]: _, [jobAttributes.job]: __, ...members } = item;
    return checked(item, { type: 'job', tenant, id: job, ...inOrder(members) }, 'job', where);
  }
  const prefix = applicationKeyPrefix('').sk;
  if (!item.sk.startsWith(prefix)) return undefined;
  const { pk, sk, [applicationAttributes.tenant]: _, ...rest } = item;
  const { [candidateIndex.partitionKey]: indexed, ...members } = rest;
  const record = {
    type: 'application',
    tenant,
    job_id: job,
    ...inOrder(members),
    ...(indexed === undefined && { indexed: false }),
  };
  const candidate = decodeURIComponent(item.sk.slice(prefix.length));
  return checked(item, record, 'application', `candidate ${quoted(candidate)}, ${where}`);
}

/** Puts the members of each object below the record in one order: DynamoDB has none. */
function sorted(key: string, value: unknown): unknown {
  return key !== '' && isRecord(value) ? inOrder(value) : value;
}

const inOrder = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));

function checked(
  item: Item,
  record: object,
  kind: ExportedLine['kind'],
  name: string,
): ExportedLine {
  const text = JSON.stringify(record, sorted);
  return { kind, text, name, difference: differenceOf(item, text) };
}

/** Reads the line as an import does, and compares the item; a missing attribute is the same as a null. */
function differenceOf(item: Item, text: string): string | undefined {
  const read = readRecord(Buffer.from(text));
  if (read === undefined) return 'the line is blank';
  if ('reason' in read) return `the import refuses it: ${read.reason}`;
  const stored = withoutNulls(item);
  const names = new Set([...Object.keys(stored), ...Object.keys(read.item)]);
  const different = [...names].filter((name) => !isDeepStrictEqual(stored[name], read.item[name]));
  return different.length === 0
    ? undefined
    : `the import stores it with other values of ${different.join(', ')}`;
}
