/** Stands in for `functions/store/jobs.ts` where the middlewares alone are measured. */
export const jobs = () => ({ setStatus: async () => ({ version: 2, isChanged: true }) });
