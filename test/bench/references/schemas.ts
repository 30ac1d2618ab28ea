import { z } from 'zod';
import { jobStatuses } from '../../../functions/domain/job.ts';

const identifier = z.string().min(1).max(256);

export const ApplicationPath = z.object({ id: identifier, candidate_id: identifier });
export const JobPath = z.object({ id: identifier });
export const StatusUpdate = z.strictObject({ status: z.enum(jobStatuses) });
