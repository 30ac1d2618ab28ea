import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation } from '../../functions/contract/operation.ts';
import { formats } from '../../functions/domain/formats.ts';
import type { Answer } from './invoke.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats });

/**
 * The schema with every object closed: the contract lets clients ignore members that they do not
 * know, but the service sends none.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  return 'properties' in copy && 'required' in copy
    ? { ...copy, additionalProperties: false }
    : copy;
}

const validators = new Map<unknown, ValidateFunction>();

function validatorOf(schema: unknown): ValidateFunction {
  const known = validators.get(schema) ?? ajv.compile(closed(schema) as AnySchemaObject);
  validators.set(schema, known);
  return known;
}

/**
 * Holds an answer to what the contract promises of the operation: the schema of a success, the list
 * of the problems.
 * @throws Error that says what the contract does not promise.
 */
export function holdToContract({ response, problems }: Operation, answer: Answer): Answer {
  if (answer.status === 200) {
    const isPromised = validatorOf(response.schema);
    if (!isPromised(answer.body)) {
      throw new Error(`The contract has another answer: ${ajv.errorsText(isPromised.errors)}.`);
    }
  } else if (!problems.some((code) => code === answer.body.code)) {
    throw new Error(`The contract does not list the problem ${answer.body.code}.`);
  }
  return answer;
}
