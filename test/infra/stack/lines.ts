// Writes a template as lines: a table can require some of them, and their diff names each changed resource.
import type { Template } from 'aws-cdk-lib/assertions';
import { isObject } from '../../../functions/domain/own-value.ts';
import { nameOf, textOf } from '../../support/stack.ts';

type Values = Record<string, unknown>;

interface Resource {
  Type: string;
  DependsOn?: string | string[];
  Properties?: Values;
}

/** A list element that has one of these members is named by it, not by its number. */
const NAMES = ['AttributeName', 'Id', 'IndexName', 'Key', 'Name', 'ScopeName'];

/** A line for each value, such as `EventsPipe.Target is EventsBus.Arn`, and for each permission. */
export function linesOf(template: Template): string[] {
  const { Resources, Outputs = {} } = template.toJSON();
  const resources = Object.entries<Resource>(Resources).flatMap(([id, resource]) => {
    const { Type, DependsOn = [], Properties = {}, ...attributes } = resource;
    const name = nameOf(id);
    const isSentence = Type === 'AWS::Lambda::Permission';
    return [
      `${name} is an ${Type}`,
      ...[DependsOn].flat().map((other) => `${name} is created after ${nameOf(other)}`),
      ...valuesIn({ ...attributes, ...(!isSentence && Properties) }, name),
      ...permissionsIn(name, resource),
    ];
  });
  return [...resources, ...valuesIn(Outputs, 'output')].map(everywhere);
}

/** A line for each permission, such as `EventsPipeRole: may sqs:SendMessage on EventsDeadLetters.Arn`. */
export const permissionsOf = (template: Template): string[] =>
  Object.entries<Resource>(template.toJSON().Resources)
    .flatMap(([id, resource]) => permissionsIn(nameOf(id), resource))
    .map(everywhere);

function permissionsIn(name: string, { Type, Properties: its = {} }: Resource): string[] {
  if (Type === 'AWS::Lambda::Permission') {
    const { FunctionName, Principal, Action, SourceArn, ...others } = its;
    return [sentence(textOf(FunctionName), { Principal, Action, from: SourceArn, ...others })];
  }
  const owner = textOf(its.Roles ?? its.Topics ?? its.Queues ?? name);
  const attached = [its.ManagedPolicyArns ?? []].flat();
  return [
    ...statementsIn(its).map((it) => sentence(owner, it)),
    ...attached.map((it) => `${owner}: has ${textOf(it)}`),
  ];
}

/** Statements of all policies in `value`, whichever properties hold them. */
function statementsIn(value: unknown): Values[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, it]) =>
    name === 'Statement' ? [it].flat() : statementsIn(it),
  );
}

/** `owner: principal may action and action on resource if condition` */
function sentence(
  owner: string,
  { Sid: _, Effect, Principal, Action, Condition, ...others }: Values,
) {
  const conditions = Object.entries(Object(Condition)).flatMap(([operator, keys]) =>
    Object.entries(Object(keys)).map(([key, value]) => `${key} ${operator} ${textOf(value)}`),
  );
  return [
    `${owner}:`,
    ...(Principal === undefined
      ? []
      : [textOf(isObject(Principal) ? Object.values(Principal) : Principal)]),
    Effect === 'Deny' ? 'may not' : 'may',
    textOf(Action),
    ...Object.entries(others).map(
      ([name, value]) => `${name === 'Resource' ? 'on' : name} ${textOf(value)}`,
    ),
    ...(conditions.length === 0 ? [] : [`if ${conditions.join(' and ')}`]),
  ].join(' ');
}

/** @param quoted whether `value` comes from a JSON text, whose lists get one line per element */
function valuesIn(value: unknown, path: string, quoted = false): string[] {
  if (isText(value)) {
    const text = textOf(value);
    const content = text.startsWith('{"') ? parsed(text) : undefined;
    return content === undefined ? [`${path} is ${text}`] : valuesIn(content, path, true);
  }
  if (isObject(value))
    return Object.entries(value).flatMap(([key, it]) =>
      key === 'Statement' ? [] : valuesIn(it, `${path}.${key}`, quoted),
    );
  if (!Array.isArray(value)) return [`${path} is ${value}`];
  const texts = value.map((it) => (Object.keys(Object(it)).join() === 'Name' ? it.Name : it));
  if (texts.every(isText)) return [`${path} is ${textOf(texts)}`];
  return value.flatMap((element, nth) => {
    const name = NAMES.find((it) => isText(Object(element)[it]));
    if (name !== undefined) {
      const { [name]: called, ...others } = element;
      const isPair = Object.keys(others).join() === 'Value';
      return valuesIn(isPair ? others.Value : others, `${path}.${textOf(called)}`);
    }
    const numbered = value.length === 1 ? path : `${path}.${nth}`;
    return quoted ? `${numbered} is ${JSON.stringify(element)}` : valuesIn(element, numbered);
  });
}

const isText = (value: unknown) =>
  typeof value === 'string' || /^(Ref|Fn::(GetAtt|Join))$/.test(Object.keys(Object(value)).join());

/** Undefined if the text only looks like JSON, as the pipe's template does. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One line, and the same whether or not the template names its region. */
const everywhere = (line: string) =>
  line
    .replaceAll('AWS::Partition', 'aws')
    .replaceAll('eu-west-1', 'AWS::Region')
    .replaceAll('\n', '\\n');
