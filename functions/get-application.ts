import * as operation from './operations/get-application.ts';
import { start } from './start/start.ts';

export const handler = await start(operation);
