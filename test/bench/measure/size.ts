import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type OperationName, operationNames } from '../../../functions/contract/operations.ts';
import { bundleOf, type Contender, contenders } from '../contenders.ts';
import { recordOf } from '../records.ts';

/** The size of a bundle, in bytes. */
export interface Size {
  bytes: number;
  zipped: number;
}

export type Sizes = Record<OperationName, Record<Contender, Size>>;

export const measureSizes = (): Sizes =>
  recordOf(operationNames, (operation) =>
    recordOf(contenders, (name) => {
      const code = readFileSync(bundleOf(name, operation));
      return { bytes: code.length, zipped: gzipSync(code, { level: 9 }).length };
    }),
  );
