import { keysOf } from './own-value.ts';

export const objectSchema = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({ type: 'object', properties, required: keysOf(properties) }) as const;
