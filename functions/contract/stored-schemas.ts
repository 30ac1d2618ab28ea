import { Application } from '../domain/application.ts';
import { Job } from '../domain/job.ts';

/** Keyed by the names of the validators in `#validators`. */
export const storedSchemas = { isApplication: Application, isJob: Job } as const;
