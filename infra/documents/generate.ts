import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.ts';
import { generated } from './generated.ts';

for (const [name, text] of Object.entries(generated)) writeFileSync(join(root, name), text);
