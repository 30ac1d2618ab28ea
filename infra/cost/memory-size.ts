/**
 * The memory size of the functions, in MB: the one that the rule of `memory-rule.ts` finds for what
 * was measured (`npm run cost` shows how). A test holds it to that.
 */
export const memorySizeMb = 512;
