import type { SchemaObject } from 'ajv';
import { IDENTIFIER_LIMIT_BYTES } from '../../../functions/domain/identifier.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { recordSchemas } from '../record-schema.ts';
import {
  END,
  INSTANT,
  instant,
  SMALLEST_NUMBER,
  storableIdentifier,
  storableNumber,
  webAddress,
} from '../storable.ts';

const titles: Readonly<Record<string, string>> = {
  job: 'A job, with its history if it has one. A live write only creates a job: it has no history.',
  application:
    "A candidate's application to a job. In a live write, the `revision` is given beside the record.",
  removal:
    'What remains of an application that a live write has removed. A live write gives only the ids, and the revision beside them.',
  erasure: 'The erasure of a candidate. Older live writes of the candidate have no effect.',
};

/** What the document says in place of a format that only this project knows. */
const formatReplacements: Readonly<Record<string, SchemaObject>> = {
  // No keyword counts bytes: a character has one or more.
  [storableIdentifier.format]: { minLength: 1, maxLength: IDENTIFIER_LIMIT_BYTES },
  [instant.format]: { format: 'date-time', pattern: portable(INSTANT) },
  [webAddress.format]: {
    pattern: `^(?:[Hh][Tt][Tt][Pp][Ss]?|s3)://[^\\ufffd\\ud800-\\udfff]+${END}`,
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

/** Returns the JSON Schema of all records as a document of its own. */
export function recordDocument() {
  const kinds = Object.entries(recordSchemas);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:recruitment:record',
    title: 'Record',
    description:
      'What the import, the export and live writes read and write, one JSON object each. A rule that no keyword ' +
      'can say is in the description of its member. Live writes may leave out `type`.',
    oneOf: kinds.map(([kind]) => ({ $ref: `#/$defs/${kind}` })),
    $defs: Object.fromEntries(
      kinds.map(([kind, schema]) => [kind, { description: titles[kind], ...documented(schema) }]),
    ),
  };
}

function documented({ means, format, description, ...schema }: SchemaObject): SchemaObject {
  const isSaid = means === undefined || description === `${means}.`;
  const text = [description, !isSaid && `Must be ${means}.`].filter(Boolean).join(' ');
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'pattern') return [keyword, portable(value)];
    if (keyword === 'properties') {
      const properties = Object.entries<SchemaObject>(value);
      return [
        keyword,
        Object.fromEntries(properties.map(([name, one]) => [name, documented(one)])),
      ];
    }
    return [keyword, keyword === 'items' && isRecord(value) ? documented(value) : value];
  });
  return {
    ...(text && { description: text }),
    ...Object.fromEntries(members),
    ...(format && formatReplacements[format]),
  };
}

/** Returns a pattern in a form that means the same in languages whose `$` ends a line and whose `\d` is any script's digit. */
function portable(pattern: string): string {
  return pattern.replaceAll('\\d', '[0-9]').replace(/\$$/, END);
}
