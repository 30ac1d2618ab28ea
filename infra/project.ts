/** The project's folder. */
export const root = new URL('../', import.meta.url);
