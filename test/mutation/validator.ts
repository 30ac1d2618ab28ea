import { Ajv2020 } from 'ajv/dist/2020.js';
import { ajvOptions, compiled } from '../../functions/contract/compiled.ts';

/** The validator of a schema as it is now, with a mutant in it where one is active. */
export function validator(name: string) {
  const schema = compiled[name];
  if (schema === undefined) throw new Error(`There is no schema ${name}.`);
  return new Ajv2020(ajvOptions).compile(schema);
}
