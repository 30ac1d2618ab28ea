import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../project.ts';
import { openApiDocument } from './openapi-document.ts';
import { recordDeclarations } from './record-declarations.ts';
import { recordDocument } from './record-document.ts';
import { jobStatusChangedDocument } from './schemas.ts';
import { settingsPage } from './settings-page.ts';

const json = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;

/** Path from the project's root -> contents. */
export const generated: Readonly<Record<string, string>> = {
  'docs/openapi.json': json(openApiDocument(manifest.version)),
  'docs/job-status-changed.schema.json': json(jobStatusChangedDocument()),
  'docs/record.schema.json': json(recordDocument()),
  'docs/reference/settings.md': settingsPage(join(root, 'docs/reference/settings.md')),
  'infra/data/records/record-types.ts': recordDeclarations(),
};
