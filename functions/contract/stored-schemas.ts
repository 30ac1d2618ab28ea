import { Application } from '../domain/application.ts';
import { Job } from '../domain/job.ts';

/** By the name of the validator in `#validators`. */
export const storedSchemas = { isApplication: Application, isJob: Job } as const;
