import * as operation from './operations/get-application/handler.ts';
import { start } from './start/start.ts';

export const handler = await start(operation);
