// npm run build: compiles the validators and builds the functions into dist/.
import { buildBundles } from './bundles.ts';

await buildBundles();
