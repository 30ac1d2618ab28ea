const OKTA_HOST = /\.(?:okta|oktapreview|okta-emea|okta-gov)\.com$/;

/** Finds only faults that deploy.sh cannot: these issuers' discovery documents do name the issuer that was set. */
export function issuerFault(issuer: string): string | undefined {
  const never = (reason: string, form: string) =>
    `must be the \`iss\` of the tokens: ${reason}. Set it to ${form}.`;
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  if (hostname === 'accounts.google.com') {
    const form = 'an issuer that has Google as its identity provider';
    return never("Google's access tokens are opaque", form);
  }
  if (OKTA_HOST.test(hostname) && !pathname.startsWith('/oauth2/')) {
    const form = `https://${hostname}/oauth2/default`;
    return never("the tokens of Okta's org authorization server are for Okta's own APIs", form);
  }
  return undefined;
}
