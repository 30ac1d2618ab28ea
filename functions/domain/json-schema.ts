import { keysOf } from './own-value.ts';

export const objectSchema = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({ type: 'object', properties, required: keysOf(properties) }) as const;

/** Other members are the platform's (`platform-json.ts`). */
export const openSchema = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({ ...objectSchema(properties), additionalProperties: true }) as const;
