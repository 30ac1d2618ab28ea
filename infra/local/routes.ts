import type { FunctionDefinition } from './local-function.ts';
import type { Template, Value } from './template.ts';

/** A route of the template and the function that answers it. */
export interface Route {
  /** The method and the path as the template has them: `GET /v1/jobs/{id}`. */
  routeKey: string;
  method: string;
  /** The segments of the path; a parameter's is in braces. */
  segments: string[];
  function: FunctionDefinition;
}

/** The variables that Lambda sets besides those of the template. */
type RuntimeVariables = Readonly<Record<string, string>>;

/**
 * The routes of the template, each with the function that its alias names.
 * @param references the local names of the resources that variables refer to, by logical id
 */
export function routesOf(
  template: Template,
  references: Readonly<Record<string, string>>,
  runtimeVariables: RuntimeVariables,
): Route[] {
  const integrations = template.resources('AWS::ApiGatewayV2::Integration');
  const aliases = template.resources('AWS::Lambda::Alias');
  const functions = new Map(
    [...template.resources('AWS::Lambda::Function').keys()].map((id) => [
      id,
      definitionOf(template, id, references, runtimeVariables),
    ]),
  );
  return [...template.resources('AWS::ApiGatewayV2::Route').values()].map((route) => {
    const [, [, { Ref: integrationId }]] = route.Target['Fn::Join'];
    const aliasId = integrations.get(integrationId)?.IntegrationUri.Ref ?? '';
    const definition = functions.get(aliases.get(aliasId)?.FunctionName.Ref ?? '');
    if (definition === undefined) throw new Error(`${route.RouteKey} has no function.`);
    const [method = '', path = ''] = route.RouteKey.split(' ');
    return { routeKey: route.RouteKey, method, segments: path.split('/'), function: definition };
  });
}

function definitionOf(
  template: Template,
  id: string,
  references: Readonly<Record<string, string>>,
  runtimeVariables: RuntimeVariables,
): FunctionDefinition {
  const properties = template.resources('AWS::Lambda::Function').get(id);
  if (properties === undefined) throw new Error(`The template holds no function ${id}.`);
  const variables = Object.entries(properties.Environment.Variables).map(
    ([name, value]): [string, string] => [name, resolve(value, references)],
  );
  return {
    name: id,
    folder: template.assetFolder(properties.Code.S3Key),
    handler: properties.Handler,
    memoryMegabytes: properties.MemorySize,
    timeoutSeconds: properties.Timeout,
    variables: {
      ...runtimeVariables,
      AWS_LAMBDA_FUNCTION_NAME: id,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize),
      ...Object.fromEntries(variables),
    },
  };
}

function resolve(value: Value, references: Readonly<Record<string, string>>): string {
  if (typeof value === 'string') return value;
  const name = references[value.Ref];
  if (name === undefined) throw new Error(`${JSON.stringify(value)} has no local equivalent.`);
  return name;
}
