import { WrongUsage } from '../commands/cli/run-command.ts';
import { contextKeys, isWritten } from '../settings/context-keys.ts';

/** The stack's settings that mean something on this machine. */
const NAMES = [
  'issuer',
  'audience',
  'jwksUri',
  'tenantClaim',
  'scopePrefix',
  'transitionPolicy',
  'corsOrigins',
] as const;

export type LocalSettings = Partial<Record<(typeof NAMES)[number], string>>;

/** Values for the settings that a stage must state. An issuer of one's own makes the others optional. */
const STATED = {
  stage: 'dev',
  issuer: 'http://127.0.0.1',
  audience: 'any',
  tenantClaim: 'none',
  alarmEmail: 'none',
  region: 'any',
};

/**
 * Checks the settings that a command line has given, by the rules of a deployment.
 * @throws WrongUsage that says what to write.
 */
export function checkSettings(given: Readonly<Record<string, string>>): LocalSettings {
  const unknown = Object.keys(given).find((key) => !NAMES.some((name) => name === key));
  if (unknown !== undefined) {
    const has = Object.hasOwn(contextKeys, unknown) ? 'has no effect here' : 'does not exist';
    throw new WrongUsage(
      `The setting ${unknown} ${has}. Settings for npm start: ${NAMES.join(', ')}.`,
    );
  }
  if (given.issuer === 'cognito') {
    throw new WrongUsage(
      'npm start creates no user pool. For one that exists, write -c issuer=https://cognito-idp.REGION.amazonaws.com/POOL.',
    );
  }
  if (given.issuer !== undefined && given.audience === undefined) {
    throw new WrongUsage(`With -c issuer, also write -c audience=${expected('audience')}.`);
  }
  if (given.jwksUri !== undefined && given.issuer === undefined) {
    throw new WrongUsage('With -c jwksUri, also write -c issuer=URL.');
  }
  if (!isWritten({ ...STATED, ...given })) {
    const [{ instancePath = '' } = {}] = isWritten.errors ?? [];
    const key = instancePath.slice(1);
    throw new WrongUsage(`The setting ${key} must be ${expected(key)}.`);
  }
  return given;
}

/** Returns the rule for a setting's value in words, with an example. */
function expected(key: string): string {
  const { title = '', examples = [] } = contextKeys[key] ?? {};
  return examples.length === 0 ? title : `${title}, such as ${examples.at(-1)}`;
}
