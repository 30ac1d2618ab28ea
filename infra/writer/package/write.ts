// npm run openapi: writes the types, the JSON Schema and the vectors of the records. Tests compare them.
import { writeFileSync } from 'node:fs';
import { recordDeclarations } from './declarations.ts';
import { recordDocument } from './document.ts';
import { vectorsText } from './vectors.ts';

const written = {
  'infra/writer/record-types.ts': recordDeclarations(),
  'docs/record-vectors.json': vectorsText(),
  'docs/record.schema.json': `${JSON.stringify(recordDocument(), null, 2)}\n`,
};
for (const [name, text] of Object.entries(written)) {
  writeFileSync(new URL(`../../../${name}`, import.meta.url), text);
}
