import { describe, expect, it } from 'vitest';
import { propertiesOf, templateOf } from '../support/stack.ts';

describe('the table', () => {
  it('has one index, which finds applications by candidate and holds their keys alone', () => {
    const [table] = propertiesOf(templateOf(), 'AWS::DynamoDB::Table');
    expect(table?.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'by-candidate',
        KeySchema: [{ AttributeName: 'candidate_pk', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });
});
