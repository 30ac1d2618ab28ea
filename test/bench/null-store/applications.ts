import { application } from '../stub/items.ts';

/** Stands in for `functions/store/applications.ts` where the middlewares alone are measured. */
export const applications = () => ({ get: async () => application });
