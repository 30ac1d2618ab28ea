import { UsageError } from '../operator/cli/run-command.ts';
import { checkSettings, expected, settingsTable } from '../stack/settings.ts';

const NAMES = [
  'issuer',
  'audience',
  'jwksUri',
  'tenantClaim',
  'scopePrefix',
  'scopeClaims',
  'transitionPolicy',
  'corsOrigins',
] as const;

export type LocalSettings = Partial<Record<(typeof NAMES)[number], string>>;

/** Values for settings that `checkSettings` requires but `npm start` does not. */
const STATED = {
  issuer: 'https://127.0.0.1',
  audience: 'any',
  tenantClaim: 'none',
  alarmEmail: 'none',
  region: 'any',
};

/** An issuer on this machine needs no https. */
const LOCAL_HTTP = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?:[:/][^\s#]*)?$/;

/**
 * Applies the rules of `settingsTable`, as a deployment does.
 * @throws UsageError that says what to write.
 */
export function checkLocalSettings(given: Readonly<Record<string, string>>): LocalSettings {
  const unknown = Object.keys(given).find((key) => !NAMES.some((name) => name === key));
  if (unknown !== undefined) {
    const has = Object.hasOwn(settingsTable, unknown) ? 'has no effect here' : 'does not exist';
    throw new UsageError(
      `The setting ${unknown} ${has}. Settings for npm start: ${NAMES.join(', ')}.`,
    );
  }
  if (given.issuer === 'cognito') {
    throw new UsageError(
      'npm start creates no user pool. For one that exists, write -c issuer=https://cognito-idp.REGION.amazonaws.com/POOL.',
    );
  }
  if (given.issuer !== undefined && given.audience === undefined) {
    throw new UsageError(`With -c issuer, also write -c audience=${expected('audience')}.`);
  }
  if (given.jwksUri !== undefined && given.issuer === undefined) {
    throw new UsageError('With -c jwksUri, also write -c issuer=URL.');
  }
  const checked = Object.entries(given).filter(
    ([key, value]) => !(['issuer', 'jwksUri'].includes(key) && LOCAL_HTTP.test(value)),
  );
  try {
    checkSettings({ ...STATED, ...Object.fromEntries(checked) }, '-c');
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error;
  }
  return given;
}
