import { operationNames, operations } from '../../functions/contract/operations.ts';

/** The scopes of all operations. */
export const allScopes = operationNames.map((name) => operations[name].scope).join(' ');

/**
 * Requests an access token of the running local issuer, by default with all scopes.
 * @param parameters those of the token endpoint (`startIssuer` says which)
 * @throws Error if the issuer gives none.
 */
export async function requestToken(
  tokenEndpoint: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: allScopes,
      ...parameters,
    }),
  });
  const answer: { access_token?: unknown } = Object(await response.json());
  const token = answer.access_token;
  if (typeof token !== 'string') throw new Error(`The issuer answered ${response.status}.`);
  return token;
}
