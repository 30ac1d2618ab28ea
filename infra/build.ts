// npm run build: builds the functions and the writer's package into dist/.
import { fileURLToPath } from 'node:url';
import { root } from './project.ts';
import { buildBundles } from './stack/bundle/bundles.ts';
import { buildPackage } from './writer/build.ts';

await buildBundles();
await buildPackage(fileURLToPath(new URL('dist/writer', root)));
