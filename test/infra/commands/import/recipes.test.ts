import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { raw } from 'jq-wasm';
import { describe, expect, it } from 'vitest';
import { readLine } from '../../../../infra/commands/import/read-line.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

/** The input and the result of a recipe, for a job and an application that have every member. */
interface Sample {
  /** The responses of a vendor's API, by the kind of resource. */
  input: Members;
  /** The job and the application. */
  records: Members[];
  /**
   * The effect of each member of the input that is missing: the changed members of the application, or `refused` if an
   * error or a refused line says so. A member that is not named has no effect.
   */
  effects: Readonly<Record<string, Members | 'refused' | 'left out' | 'job left out'>>;
}

const folder = new URL('../../../../docs/recipes/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.jq$/, ''));

/** The number of inputs for one run of jq, whose time grows with the square of the input's size. */
const INPUTS = 6;

/** Runs a recipe for each input. Returns the items that an import makes, or `refused` if the import refuses a line. */
async function itemsOf(name: string, [...inputs]: readonly Members[]): Promise<unknown[]> {
  const all: unknown[] = [];
  while (inputs.length > 0) all.push(...(await itemsOfSome(name, inputs.splice(0, INPUTS))));
  return all;
}

async function itemsOfSome(name: string, inputs: readonly Members[]): Promise<unknown[]> {
  const recipe = readFileSync(new URL(`${name}.jq`, folder), 'utf8');
  const cases = JSON.stringify(inputs.map((input) => Object.values(input)));
  // A recipe that is called with -s gets all responses at once. The import refuses the record of a caught error.
  const each = name === 'greenhouse' ? '' : '.[] |';
  const lines = await raw(cases, `.[] | [${each} try (${recipe}\n) catch {error: .}]`, ['-c']);
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const records: Members[] = JSON.parse(line);
      const read = records.map((record) => readLine(Buffer.from(JSON.stringify(record))));
      const items = read.flatMap((each) => (each && 'item' in each ? [each.item] : []));
      return items.length === records.length ? items : 'refused';
    });
}

const itemOf = (record: Members) => {
  const read = readLine(Buffer.from(JSON.stringify(record)));
  return read && 'item' in read ? read.item : expect.unreachable(JSON.stringify(read));
};

/** Yields a changed copy of a value for each change of each member at any depth, with the member's path. */
function* changes(
  value: Json,
  path: string,
): Generator<{ path: string; change: string; changed: Json }> {
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) {
      for (const each of changes(entry, path))
        yield { ...each, changed: value.with(at, each.changed) };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const at = path === '' ? name : `${path}/${name}`;
      const { [name]: _, ...rest } = value;
      // The responses themselves are never missing.
      if (path !== '') yield { path: at, change: 'absent', changed: rest };
      for (const [change, other] of path === '' ? [] : others(member)) {
        yield { path: at, change, changed: { ...value, [name]: other } };
      }
      for (const each of changes(member, at)) {
        yield { ...each, changed: { ...value, [name]: each.changed } };
      }
    }
  }
}

function others(member: Json): [change: string, other: Json][] {
  if (Array.isArray(member))
    return [
      ['null', null],
      ['empty', []],
    ];
  if (typeof member === 'object' && member !== null)
    return [
      ['null', null],
      ['empty', {}],
    ];
  if (typeof member !== 'string') return [['null', null]];
  const blank: [string, Json][] = [
    ['null', null],
    ['empty', ''],
    ['blank', ' \u00a0'],
  ];
  return [...blank, ['padded', ` ${member}\u00a0`]];
}

/** Sets a member at any depth. */
function setIn(target: Json | undefined, [name = '', ...rest]: string[], value: Json): void {
  if (typeof target !== 'object' || target === null) throw new Error(`There is no ${name}.`);
  const members = target as Members;
  if (rest.length === 0) members[name] = value;
  else setIn(members[name], rest, value);
}

describe.each(names)('the recipe %s', (name) => {
  const sample = new URL(`recipes/${name}.json`, import.meta.url);
  const { input, records, effects }: Sample = JSON.parse(readFileSync(sample, 'utf8'));
  const [job = {}, application = {}] = records;

  function expectedOf(effect: Sample['effects'][string]) {
    if (effect === 'refused') return effect;
    if (effect === 'left out') return [itemOf(job)];
    if (effect === 'job left out') return [itemOf(application)];
    const changed = structuredClone(application);
    for (const [path, value] of Object.entries(effect)) setIn(changed, path.split('/'), value);
    return [itemOf(job), itemOf(changed)];
  }

  it('makes the expected records', async () => {
    expect(await itemsOf(name, [input])).toEqual([records.map(itemOf)]);
  });

  it('loses nothing silently if a member is absent, null, empty, blank or padded with spaces', async () => {
    const all = [...changes(input, '')];
    const results = await itemsOf(
      name,
      all.map(({ changed }) => changed as Members),
    );
    const different = all.filter(({ path, change }, at) => {
      const items = results[at];
      const effect =
        change === 'padded' ? {} : (effects[`${path} ${change}`] ?? effects[path] ?? {});
      // The import refuses an id or a time that is padded with spaces.
      if (items === 'refused' && change === 'padded') return false;
      return !isDeepStrictEqual(items, expectedOf(effect));
    });
    expect(different.map(({ path, change }) => `${path} ${change}`)).toEqual([]);
  });
});
