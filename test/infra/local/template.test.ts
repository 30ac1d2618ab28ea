import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';

interface Function {
  Type: string;
  Properties: { Handler: string };
  Metadata: Record<string, string>;
}

describe('the template of the local service', () => {
  /**
   * As the SAM CLI 1.170.0 finds it (`resource_metadata_normalizer.py`): the metadata `aws:asset:path` replaces
   * the property that `aws:asset:property` names, and a folder of that name is the code.
   */
  it('has the code of each function where the SAM CLI looks for it', () => {
    const file = join(inject('assembly'), 'RecruitmentService-dev.template.json');
    const resources: Function[] = Object.values(JSON.parse(readFileSync(file, 'utf8')).Resources);
    const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');
    expect(functions).toHaveLength(operationNames.length);
    for (const { Properties, Metadata } of functions) {
      expect(Metadata['aws:asset:property']).toBe('Code');
      const [module] = Properties.Handler.split('.');
      expect(existsSync(join(String(Metadata['aws:asset:path']), `${module}.mjs`))).toBe(true);
    }
  });
});
