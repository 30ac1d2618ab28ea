import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { accessLogLine } from './traffic.ts';

describe('the access log line that the cost is made of', () => {
  it.each(operationNames)('is what the stage logs, with a value for each variable: %s', (name) => {
    const { method, path } = operations[name];
    expect(JSON.parse(accessLogLine(name))).toMatchObject({
      route: `${method} ${path}`,
      status: '200',
    });
    expect(accessLogLine(name)).not.toContain('$');
  });
});
