// npm run openapi: writes docs/openapi.json and the JSON Schema of the event. A test compares them.
import { writeFileSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import { openApiDocument } from './document.ts';
import { jobStatusChangedDocument } from './schemas.ts';

const documents = {
  'openapi.json': openApiDocument(manifest.version),
  'job-status-changed.schema.json': jobStatusChangedDocument(),
};
for (const [name, document] of Object.entries(documents)) {
  const file = new URL(`../../docs/${name}`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
}
