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

  it.each(contracts)('has an example of every parameter of $operationId', (one) => {
    for (const { name, schema, example } of documented(one).parameters) {
      expect(example, name).toBeDefined();
      expect(misfit(schema, example), name).toBe('');
    }
  });

  it('has every operation and no other', () => {
    const found = Object.entries(parsed.paths).flatMap(([path, methods]) =>
      Object.entries(methods as object).map(([method, { operationId }]) => [
        operationId,
        method.toUpperCase(),
        path,
      ]),
    );
    expect(found).toEqual(
      contracts.map(({ operationId, method, path }) => [operationId, method, path]),
    );
  });

  it.each(contracts)('asks of $operationId the scope of its contract, and describes it', (one) => {
    expect(documented(one).security).toEqual([{ accessToken: [one.scope] }]);
    expect(parsed.components.securitySchemes.accessToken.description).toContain(
      `\`${one.scope}\`: ${one.summary}.`,
    );
  });

  it.each(contracts)('has the parameters that the path of $operationId names', (one) => {
    const inTemplate = Array.from(one.path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    const inPath = documented(one).parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(inTemplate);
    expect(Object.keys(one.parameters.properties)).toEqual(inTemplate);
    expect(one.parameters).toMatchObject({ required: inTemplate });
    expect(inPath.every(({ required }) => required)).toBe(true);
  });

  it.each(contracts)('has the request headers of $operationId, none of them required', (one) => {
    const headers = documented(one).parameters.filter((parameter) => parameter.in === 'header');
    expect(headers.map(({ name }) => name)).toEqual(Object.keys(one.headers ?? {}));
    expect(headers.some(({ required }) => required)).toBe(false);
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

  it('writes a named schema once and refers to it elsewhere', () => {
    for (const [name, schema] of Object.entries(parsed.components.schemas)) {
      const definition = JSON.stringify(schema);
      // What stands before it and what stands after it.
      expect(JSON.stringify(parsed).split(definition), name).toHaveLength(2);
    }
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

  it('fit their schemas in parameters and headers', () => {
    const parameters = contracts.flatMap((one) => documented(one).parameters);
    const headers = Object.values<Content>(parsed.components.headers);
    for (const { schema } of [...parameters, ...headers]) {
      for (const value of schema.examples ?? []) expect(misfit(schema, value)).toBe('');
    }
  });

  it('are measured by schemas that refuse what does not fit', () => {
    const { status: _, ...statusless } = exampleOf(operations['get-application'], 'internal');
    expect(misfit({ $ref: '#/components/schemas/Problem' }, statusless)).toContain('status');
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
