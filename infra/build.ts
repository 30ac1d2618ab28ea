import { join } from 'node:path';
import { root } from './project.ts';
import { buildBundles } from './stack/bundle/bundles.ts';
import { buildPackage } from './writer/build.ts';

await buildBundles();
await buildPackage(join(root, 'dist/writer'));
