import { Application } from '../domain/application.ts';
import { Job } from '../domain/job.ts';

/** The schemas of the data that operations read from the table, by the names of their validators in `#validators`. */
export const storedSchemas = { isApplication: Application, isJob: Job } as const;
