// Builds the functions into dist/functions/. `npm start` runs this program at each change of the code.
import { buildBundles } from './bundles.ts';

await buildBundles();
