/** An operation of a client on something that clients share. */
export interface Operation<Input, Output> {
  input: Input;
  /** What the client was told; undefined: it does not know whether the operation was done. */
  output: Output | undefined;
  /** When it began and ended, by one clock for all; what is not known never ended. */
  invoked: number;
  returned: number;
}

/** What the shared thing does when one operation follows another. */
export interface Model<State, Input, Output> {
  initial: State;
  /** The same text for the same value, and another for another. */
  nameOf(value: State | Input): string;
  /**
   * The state after an operation that answers `output`, the same object if nothing changes;
   * undefined if it would not have answered so. If `output` is undefined: the state after it.
   */
  next(state: State, input: Input, output: Output | undefined): State | undefined;
}

/** Beyond so many steps a history is too hard; a random one of a right service takes hundreds. */
const LIMIT_STEPS = 1_000_000;

/**
 * Whether the operations could have happened one at a time, each between its begin and its end, with
 * these answers; those of unknown outcome at any time after their begin, or never (Herlihy and Wing,
 * 1990). The search is that of Wing and Gong (1993), which remembers visited states as Lowe (2017)
 * has it; Knossos and Porcupine do the same for other languages.
 * @throws Error if the search takes too long to tell.
 */
export function isLinearizable<State, Input, Output>(
  operations: readonly Operation<Input, Output>[],
  model: Model<State, Input, Output>,
): boolean {
  type Left = readonly Operation<Input, Output>[];
  const byEnd = operations.toSorted((a, b) => a.returned - b.returned || a.invoked - b.invoked);
  const seen = new Set<string>();
  let steps = 0;

  const search = (left: Left, done: bigint, state: State): boolean => {
    const [first] = left;
    // Only operations of unknown outcome are left, which may never have been done.
    if (first === undefined || first.returned === Number.POSITIVE_INFINITY) return true;
    const place = `${done} ${model.nameOf(state)}`;
    if (seen.has(place)) return false;
    seen.add(place);
    steps += 1;
    if (steps > LIMIT_STEPS) throw new Error(`No verdict after ${LIMIT_STEPS} steps.`);
    return movesFrom(left, first.returned, state).some(([operation, next]) =>
      search(
        left.filter((other) => other !== operation),
        done | (1n << BigInt(byEnd.indexOf(operation))),
        next,
      ),
    );
  };

  /** The operations that may come next, each with the state after it. */
  const movesFrom = (left: Left, firstEnd: number, state: State) => {
    const moves = new Map<string, [Operation<Input, Output>, State]>();
    for (const operation of left) {
      // What began after another had ended cannot come before it.
      if (operation.invoked > firstEnd) continue;
      const { input, output } = operation;
      const next = model.next(state, input, output);
      if (next === undefined) continue;
      // What fits and changes nothing may come at once: nothing is lost by it.
      if (next === state && output !== undefined) return [[operation, next] as const];
      if (next === state) continue;
      // Of unknown operations that ask for the same, one is as good as another.
      const name = output === undefined ? model.nameOf(input) : `${operation.invoked}`;
      if (!moves.has(name)) moves.set(name, [operation, next]);
    }
    return [...moves.values()];
  };

  return search(byEnd, 0n, model.initial);
}
