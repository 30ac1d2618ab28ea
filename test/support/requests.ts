import type { Operation } from '../../functions/contract/operation.ts';
import type { TestRequest } from './invoke.ts';

/** The ids of the items of `items.ts`, by the path parameters that name them. */
const ids: Readonly<Record<string, string>> = { id: 'j-1', candidate_id: 'c-1' };

/** A request that an operation accepts; it succeeds if its items are stored. */
export function validRequest({ parameters, body }: Operation): TestRequest {
  const names = Object.keys(parameters.properties);
  const unknown = names.filter((name) => !Object.hasOwn(ids, name));
  if (unknown.length > 0) throw new Error(`There is no id of an item for ${unknown}.`);
  return {
    pathParameters: Object.fromEntries(names.map((name) => [name, ids[name] ?? ''])),
    ...(body && { headers: { 'content-type': 'application/json' }, body: body.example }),
  };
}
