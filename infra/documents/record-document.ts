import type { SchemaObject } from 'ajv';
import {
  ADDRESSABLE_PATTERN,
  AddressableIdentifier,
} from '../../functions/domain/addressable-identifier.ts';
import { isObject } from '../../functions/domain/own-value.ts';
import { MAX_NESTING, REFUSED_NAMES } from '../../functions/domain/platform-json.ts';
import { END } from '../../functions/domain/text.ts';
import { INSTANT, PartialDate } from '../../functions/domain/timestamp.ts';
import { HIDDEN, PROFILE, WEB_ADDRESS } from '../../functions/domain/web-address.ts';
import { recordSchemas } from '../data/records/record-schema.ts';
import {
  instant,
  partialDate,
  platformName,
  profile,
  SMALLEST_NUMBER,
  storableIdentifier,
  storableNumber,
  storableText,
  urlFormat,
} from '../data/records/storable.ts';
import { identifierLength } from './schemas.ts';

const titles: Readonly<Record<string, string>> = {
  job: 'A job. Exports have its history; live writes, which only create jobs, leave it out.',
  application:
    "A candidate's application to a job. Live writes take the `revision` as a separate argument.",
  removal:
    'The tombstone of an application that a live write has removed. Live writes give only the ids, and the `revision` as a separate argument.',
  erasure: 'The erasure of a candidate, which blocks older applications of the candidate.',
};

/** `HIDDEN` below U+10000, for languages whose patterns lack `\p`. */
export const HIDDEN_RANGES =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u1680\\u180e' +
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2064\\u2066-\\u206f\\u3000\\ufeff\\ufff9-\\ufffb\\ufffd\\ud800-\\udfff';

const recordFormatReplacements: Readonly<Record<string, SchemaObject>> = {
  [storableIdentifier.format]: identifierLength,
  [AddressableIdentifier.format]: { ...identifierLength, pattern: ADDRESSABLE_PATTERN },
  [instant.format]: { format: 'date-time', pattern: portable(INSTANT) },
  [partialDate.format]: {
    pattern: portable(PartialDate.pattern).replace('^', '^(?!0000)'),
    anyOf: [{ format: 'date' }, { maxLength: 'YYYY-MM'.length }],
  },
  [profile.format]: { pattern: `^${END}|${portable(PROFILE)}` },
  [urlFormat.format]: {
    pattern: `^${END}|${portable(WEB_ADDRESS)}|^s3://[^\\ufffd\\ud800-\\udfff]+${END}`,
  },
  [storableNumber.format]: {
    minimum: -Number.MAX_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    not: {
      type: 'number',
      anyOf: [
        { exclusiveMinimum: 0, exclusiveMaximum: SMALLEST_NUMBER },
        { exclusiveMinimum: -SMALLEST_NUMBER, exclusiveMaximum: 0 },
      ],
    },
  },
};

export function recordDocument() {
  const kinds = Object.entries(recordSchemas);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:recruitment:record',
    title: 'Record',
    description:
      'What the import reads, the export writes or a live write stores, as one JSON object. Rules that no keyword can ' +
      `express are in the descriptions. Every text must be ${storableText.means}. Live writes may leave out \`type\`.`,
    oneOf: kinds.map(([kind]) => ({ $ref: `#/$defs/${kind}` })),
    $defs: {
      ...Object.fromEntries(
        kinds.map(([kind, schema]) => [kind, { description: titles[kind], ...documented(schema) }]),
      ),
      json,
      name,
    },
  };
}

const platformMembers = {
  additionalProperties: { $ref: '#/$defs/json' },
  propertyNames: { $ref: '#/$defs/name' },
};

const name = {
  type: 'string',
  description: `Must be ${platformName.means}.`,
  pattern: platformName.pattern,
  not: { enum: REFUSED_NAMES },
};

const json = {
  description: `Any JSON, with at most ${MAX_NESTING} lists and objects within each other. A text must be ${storableText.means}. A number must be ${storableNumber.means}.`,
  type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  pattern: storableText.pattern,
  ...recordFormatReplacements[storableNumber.format],
  items: { $ref: '#/$defs/json' },
  ...platformMembers,
};

function documented({
  means,
  details,
  format,
  description,
  ...schema
}: SchemaObject): SchemaObject {
  const isSaid = [undefined, storableText.means].includes(means) || description === `${means}.`;
  const text = [description, !isSaid && `Must be ${means}.`, details && `${details}.`]
    .filter(Boolean)
    .join(' ');
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'pattern') return [keyword, portable(value)];
    if (keyword === 'properties') {
      const properties = Object.entries<SchemaObject>(value);
      return [
        keyword,
        Object.fromEntries(properties.map(([name, one]) => [name, documented(one)])),
      ];
    }
    return [keyword, keyword === 'items' && isObject(value) ? documented(value) : value];
  });
  return {
    ...(text && { description: text }),
    ...Object.fromEntries(members),
    ...(schema.additionalProperties && platformMembers),
    ...(format && recordFormatReplacements[format]),
  };
}

/** In some languages, `$` also matches at the end of a line, and `\d` matches the digits of any script. */
function portable(pattern: string): string {
  return pattern.replaceAll('\\d', '[0-9]').replaceAll(HIDDEN, HIDDEN_RANGES).replace(/\$$/, END);
}
