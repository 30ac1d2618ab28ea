import { cpus } from 'node:os';

/** The machine that measured. */
export const machine = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
});
