import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../functions/contract/operation.ts';
import { operations } from '../../../functions/contract/operations.ts';
import {
  answersOf,
  type Content,
  contracts,
  documented,
  exampleOf,
  find,
  misfit,
  parsed,
  references,
  text,
} from '../../support/openapi-document.ts';

describe('the OpenAPI document', () => {
  it('is committed as the contract builds it', async () => {
    const committed = await readFile('docs/openapi.json', 'utf8');
    expect(committed, 'run npm run openapi').toBe(text);
  });

  it('has one tag for the operations and another for the webhook', () => {
    const names = parsed.tags.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(2);
    for (const one of contracts) expect(documented(one).tags).toEqual([names[0]]);
    expect(parsed.webhooks['job-status-changed'].post.tags).toEqual([names[1]]);
  });

  it('has no format and no constant that generators of clients do not know', () => {
    const { properties } = parsed.components.schemas.JobStatusUpdated;
    expect(properties.success).toMatchObject({ type: 'boolean' });
    expect(properties.success).not.toHaveProperty('const');
    const formats = Array.from(text.matchAll(/"format": "([^"]+)"/g), ([, name]) => name);
    expect(new Set(formats)).toEqual(new Set(['date-time']));
    expect(parsed).not.toHaveProperty('jsonSchemaDialect');
  });

  it('has only patterns that JavaScript and PCRE2 read alike, for clients in PHP', () => {
    const patterns = Array.from(text.matchAll(/"pattern": (".*")/g), ([, it = '']) =>
      JSON.parse(it),
    );
    expect(patterns.length).toBeGreaterThan(0);
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\[uc]|\\x\{/i);
    const { schema } = documented(contracts[0] as Operation).parameters[0] as Content;
    for (const id of ['Ü 山 é', 'gh:1', 'c#1']) expect(misfit(schema, id)).toBe('');
    for (const id of ['', 'a\nb', 'x\u007f']) expect(misfit(schema, id)).not.toBe('');
  });

  it.each(contracts)('has the parameters that the path of $operationId names', (one) => {
    const inTemplate = Array.from(one.path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    const inPath = documented(one).parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(inTemplate);
    expect(Object.keys(one.parameters.properties)).toEqual(inTemplate);
    expect(one.parameters).toMatchObject({ required: inTemplate });
    expect(inPath.every(({ required }) => required)).toBe(true);
  });

  it('refers to nothing that is not there, and has no component that nothing refers to', () => {
    const referred = [...new Set(references(parsed))];
    for (const reference of referred) expect(find(reference), reference).toBeDefined();
    const { securitySchemes, ...components } = parsed.components;
    const defined = Object.entries(components).flatMap(([kind, members]) =>
      Object.keys(members as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect(referred.sort()).toEqual(defined.sort());
    expect(Object.keys(securitySchemes)).toEqual(['accessToken', 'destinationSecret']);
  });
});

describe('the examples of the OpenAPI document', () => {
  it.each(contracts)('fit their schemas in $operationId', (one) => {
    const messages = [documented(one).requestBody, ...Object.values(answersOf(one))];
    for (const message of messages.filter((each) => each !== undefined)) {
      for (const { schema, example, examples } of Object.values(message.content)) {
        const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
        expect(values.length).toBeGreaterThan(0);
        for (const value of values) expect(misfit(schema, value)).toBe('');
      }
    }
  });

  it('fit their schemas in headers, and in parameters, each of which has one', () => {
    const parameters = contracts.flatMap((one) => documented(one).parameters);
    for (const { name, schema, example } of parameters)
      expect(misfit(schema, example), name).toBe('');
    for (const { schema } of Object.values<Content>(parsed.components.headers)) {
      for (const value of schema.examples ?? []) expect(misfit(schema, value)).toBe('');
    }
  });
});

describe('what may be added', () => {
  const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it('to lists of values fits the schemas of responses, and not those of requests', () => {
    const refused = exampleOf(operations['update-job-status'], 'transition_refused');
    const added = { code: 'new', current_status: 'new', allowed_transitions: ['new'], member: 1 };
    expect(misfit(schema('Problem'), { ...refused, ...added })).toBe('');
    const [evaluation] = operations['get-application'].response.example.evaluations;
    expect(misfit(schema('Evaluation'), { ...evaluation, recommendation: 'new' })).toBe('');
    expect(misfit(schema('JobStatusUpdate'), { status: 'new' })).toContain('status');
  });
});
