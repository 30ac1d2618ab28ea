import { describe, expect, it } from 'vitest';
import { ok } from '../../../functions/runtime/invocation.ts';

describe('a success', () => {
  it('is an answer of status 200 in JSON', () => {
    expect(ok({ success: true })).toEqual({
      statusCode: 200,
      headers: { 'Content-Type': 'application/json' },
      body: '{"success":true}',
    });
  });

  it('may have headers of its own', () => {
    expect(ok({}, { ETag: '"3"' }).headers).toEqual({
      'Content-Type': 'application/json',
      ETag: '"3"',
    });
  });
});
