import { Application } from '../domain/application.ts';
import { Job } from '../domain/job.ts';

/** Each name is that of a validator in `#validators`. */
export const storedSchemas = { isApplication: Application, isJob: Job } as const;
