import { readFileSync } from 'node:fs';
import { isObject } from '../../functions/domain/own-value.ts';
import { applicationKey, candidateKey, erasureKey, jobKey } from '../../functions/store/keys.ts';
import { InvalidRecord, liveReader, type ReaderSettings } from './record-writer.ts';

const methods = {
  putApplication: 'application',
  removeApplication: 'removal',
  createJob: 'job',
} as const;

interface Call {
  call: keyof typeof methods;
  settings: ReaderSettings;
  /** In milliseconds since 1970. */
  now: number;
  record: Readonly<Record<string, unknown>>;
  revision?: unknown;
}

/** What people write in `docs/record-vectors.json`; the rest is computed from it. */
interface Inputs {
  description: string;
  keys: readonly { id: string }[];
  stored: readonly Call[];
  refused: readonly Call[];
}

/**
 * For writers in other languages: the calls in `docs/record-vectors.json`, each with the outcome that this writer
 * computes. To add one, add its call to the document and run `npm run generate`.
 */
export function recordVectors() {
  const document = new URL('../../docs/record-vectors.json', import.meta.url);
  const inputs: Inputs = JSON.parse(readFileSync(document, 'utf8'));
  return {
    description: inputs.description,
    keys: inputs.keys.map(({ id }) => ({
      id,
      job: jobKey(id, id),
      application: applicationKey(id, id, id),
      ...candidateKey(id, id),
      erasure: erasureKey(id, id),
    })),
    stored: inputs.stored.map((vector) => ({ ...inputOf(vector), item: read(vector).item })),
    refused: inputs.refused.map((vector) => ({
      ...inputOf(vector),
      faults: faultsOfVector(vector),
    })),
  };
}

const inputOf = ({ call, settings, now, record, revision }: Call): Call => ({
  call,
  settings,
  now,
  record,
  ...(revision !== undefined && { revision }),
});

function read({ call, settings, now, record, revision }: Call) {
  return liveReader(settings, () => now)[methods[call]](withRepetitions(record), revision);
}

function faultsOfVector(vector: Call) {
  try {
    read(vector);
  } catch (error) {
    if (error instanceof InvalidRecord) return error.faults;
    throw error;
  }
  throw new Error(`The writer does not refuse this record: ${JSON.stringify(vector)}.`);
}

/** Writes out `{"repeat": [character, count]}`, which abbreviates a long text. */
function withRepetitions(record: Call['record']): Call['record'] {
  const entries = Object.entries(record).map(([member, value]) => {
    const [character, count] = isObject(value) && Array.isArray(value.repeat) ? value.repeat : [];
    return [member, character === undefined ? value : String(character).repeat(Number(count))];
  });
  return Object.fromEntries(entries);
}

/** One vector a line, so that a diff shows which have changed. */
export function vectorsText(): string {
  const { description, ...lists } = recordVectors();
  const parts = Object.entries(lists).map(([list, vectors]) => {
    const lines = vectors.map((vector) => `    ${JSON.stringify(vector)}`);
    return `  ${JSON.stringify(list)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n  "description": ${JSON.stringify(description)},\n${parts.join(',\n')}\n}\n`;
}
