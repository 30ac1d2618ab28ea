import type { FunctionDefinition } from './local-function.ts';
import type { Template } from './template.ts';

/** A route of the template and the function behind it. */
export interface Route {
  /** The method and path in the template, as in `GET /v1/jobs/{id}`. */
  routeKey: string;
  method: string;
  /** The pattern of a decoded path, with a group for each path parameter. */
  path: RegExp;
  function: FunctionDefinition;
}

/**
 * Returns the routes of the template, each with the function behind its alias.
 * @param localValues the environment variables that override the template's, such as the table's name.
 * @param runtimeVariables the environment variables that Lambda sets itself.
 * @throws Error if a route has no function, or if a variable has no local value.
 */
export function routesOf(
  template: Template,
  localValues: Readonly<Record<string, string>>,
  runtimeVariables: Readonly<Record<string, string>>,
): Route[] {
  const integrations = template.resources('AWS::ApiGatewayV2::Integration');
  const aliases = template.resources('AWS::Lambda::Alias');
  const functions = template.resources('AWS::Lambda::Function');
  const localValue = (variable: string, inTemplate: unknown) => {
    const value = localValues[variable] ?? inTemplate;
    if (typeof value === 'string') return value;
    throw new Error(`The variable ${variable} has no local value.`);
  };
  return [...template.resources('AWS::ApiGatewayV2::Route').values()].map((route) => {
    const [, [, { Ref: integrationId }]] = route.Target['Fn::Join'];
    const aliasId = integrations.get(integrationId)?.IntegrationUri.Ref ?? '';
    const name = aliases.get(aliasId)?.FunctionName.Ref ?? '';
    const properties = functions.get(name);
    if (properties === undefined) throw new Error(`${route.RouteKey} has no function.`);
    const variables = Object.entries(properties.Environment.Variables).map(
      ([variable, value]) => [variable, localValue(variable, value)] as const,
    );
    const [method = '', path = ''] = route.RouteKey.split(' ');
    return {
      routeKey: route.RouteKey,
      method,
      path: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
      function: {
        name,
        folder: template.codeFolder(name),
        handler: properties.Handler,
        memoryMegabytes: properties.MemorySize,
        timeoutSeconds: properties.Timeout,
        variables: {
          ...runtimeVariables,
          AWS_LAMBDA_FUNCTION_NAME: name,
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize),
          ...Object.fromEntries(variables),
        },
      },
    };
  });
}
