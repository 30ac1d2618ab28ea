/** A mutant that no test can tell from the program, and why. */
export interface Equivalent {
  file: string;
  /** The line where the changed text begins, as a survivor is printed by run.ts. */
  line: string;
  code: string;
  replacement: string;
  why: string;
}

export const equivalents: readonly Equivalent[] = [];
