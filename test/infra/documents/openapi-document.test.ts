import { describe, expect, it } from 'vitest';
import { contracts, operations } from '../../../functions/operations/operations.ts';
import {
  type Content,
  documented,
  exampleOf,
  misfit,
  parsed,
  resolved,
  responsesOf,
  text,
} from '../../support/openapi-document.ts';

describe('the OpenAPI document', () => {
  it('has no format and no constant that generators of clients do not know', () => {
    const { properties } = parsed.components.schemas.JobStatusUpdated;
    expect(properties.success).toMatchObject({ type: 'boolean' });
    expect(properties.success).not.toHaveProperty('const');
    const formats = Array.from(text.matchAll(/"format": "([^"]+)"/g), ([, name]) => name);
    expect(new Set(formats)).toEqual(new Set(['date-time']));
    expect(parsed).not.toHaveProperty('jsonSchemaDialect');
  });

  it('has only patterns that clients in PHP and Ruby read as JavaScript does', () => {
    // Patterns under `not` may use any syntax: generators of clients skip `not`.
    const read = JSON.stringify(parsed, (key, it) => (key === 'not' ? undefined : it), 2);
    const patterns = Array.from(read.matchAll(/"pattern": (".*")/g), ([, it]) => it);
    expect(patterns.length).toBeGreaterThan(0);
    for (const it of patterns) expect(it).not.toMatch(/\\[uc]|\\x([89a-f]|\{)/i);
    const { schema } = contracts.flatMap((each) => documented(each).parameters)[0] as Content;
    for (const id of ['Ü 山 é', 'gh:1', 'c#1', '\u00a0']) expect(misfit(schema, id)).toBe('');
    for (const id of ['', 'a\nb', '\u007f', '\u0080', 'x\u009f']) {
      expect(misfit(schema, id)).not.toBe('');
    }
  });
});

describe('the examples of the OpenAPI document', () => {
  it.each(contracts)('fit their schemas in $operationId', (one) => {
    const messages = [documented(one).requestBody, ...Object.values(responsesOf(one))];
    for (const message of messages.filter((each) => each !== undefined)) {
      for (const { schema, example, examples } of Object.values(message.content)) {
        const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
        expect(values.length).toBeGreaterThan(0);
        for (const value of values) expect(misfit(schema, value)).toBe('');
      }
    }
  });

  it('fit their schemas in headers, and in parameters, each of which has one, and in paths is required', () => {
    const parameters = contracts.flatMap((one) => documented(one).parameters);
    for (const { name, in: place, required, schema, example } of parameters) {
      expect(misfit(schema, example), name).toBe('');
      expect(required).toBe(place === 'path');
    }
    for (const { schema } of Object.values<Content>(parsed.components.headers)) {
      for (const value of schema.examples ?? []) expect(misfit(schema, value)).toBe('');
    }
  });
});

describe('what may be added', () => {
  const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const whole = (part: unknown) =>
    JSON.stringify(part, (_, value) => (value?.$ref ? resolved(value) : value));

  it('to an enumeration fits the schemas of responses, problems and events', () => {
    const responses = contracts.map((one) => whole(responsesOf(one)));
    const sent = [...responses, whole(parsed.webhooks), whole(parsed.components.headers)];
    for (const it of sent) expect(it).not.toContain('"enum"');
    for (const it of sent.slice(0, -1)) expect(it).toContain('; more may be added.');
  });

  it('to an enumeration does not fit the schemas of requests', () => {
    const { status } = parsed.components.schemas.JobStatusUpdate.properties;
    expect(misfit(status, 'paused')).toBe('');
    expect(misfit(status, 'new')).not.toBe('');
  });

  it('to the members fits the schemas of responses and problems', () => {
    for (const { response } of contracts) {
      expect(misfit(named(response.schemaName), { ...response.example, new: 1 })).toBe('');
    }
    const problem = exampleOf(operations['update-job-status'], 'transition_refused');
    expect(misfit(named('Problem'), { ...problem, new: 1 })).toBe('');
  });
});
