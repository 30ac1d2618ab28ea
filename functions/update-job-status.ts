import * as operation from './operations/update-job-status/handler.ts';
import { start } from './start/start.ts';

export const handler = await start(operation);
