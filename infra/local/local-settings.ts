import { UsageError } from '../command/run-command.ts';
import { checkSettings, SettingsError } from '../stack/settings/check-settings.ts';

const names = [
  'issuer',
  'audience',
  'jwksUri',
  'tenantClaim',
  'scopePrefix',
  'scopeClaims',
  'transitionPolicy',
  'corsOrigins',
] as const;

export type LocalSettings = Partial<Record<(typeof names)[number], string>>;

/** Matches only the `http` of an issuer on this machine, which does not need https. */
const LOCAL_HTTP = /^http(?=:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?:[:/]|$))/;

/**
 * Applies the rules of `settingsTable`, as a deployment does.
 * @throws UsageError that says what to write.
 */
export function checkLocalSettings(given: Readonly<Record<string, string>>): LocalSettings {
  const { issuer, jwksUri } = given;
  if (issuer === 'cognito') {
    throw new UsageError(
      'npm start cannot create a user pool. To use an existing one, pass -c issuer=https://cognito-idp.REGION.amazonaws.com/POOL.',
    );
  }
  if (jwksUri !== undefined && issuer === undefined) {
    throw new UsageError('With -c jwksUri, also write -c issuer=URL.');
  }
  const own = issuer === undefined && { issuer: 'https://127.0.0.1', audience: 'any' };
  const checked = Object.entries({ tenantClaim: 'none', ...own, ...given }).map(([key, value]) => [
    key,
    ['issuer', 'jwksUri'].includes(key) ? value.replace(LOCAL_HTTP, 'https') : value,
  ]);
  try {
    checkSettings(Object.fromEntries(checked), '-c', names);
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.message) : error;
  }
  return given;
}
