import type { FunctionDefinition } from './local-function.ts';
import type { Template } from './template.ts';

/** A route of the template and its function. */
export interface Route {
  /** The method and the path as the template has them: `GET /v1/jobs/{id}`. */
  routeKey: string;
  method: string;
  /** Matches a decoded path; its groups are the parameters. */
  path: RegExp;
  function: FunctionDefinition;
}

/**
 * The routes of the template, each with the function that its alias names.
 * @param localValues the values of variables that the template leaves to AWS, such as the name of the table
 * @param runtimeVariables those that Lambda sets besides the variables of the template
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
