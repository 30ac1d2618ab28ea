import { splitList } from '../../../functions/domain/split-list.ts';
import {
  DEFAULT_ENDPOINT,
  type Pattern,
  settingNamed,
  settingsTable,
  type Values,
} from './settings.ts';

const keys = Object.keys(settingsTable);
export const fileKeys = keys.filter((key) => !settingNamed(key)?.isFlag);

/** Drops values that mean "not set", so that writing one out changes no function version's logical id. */
export const withoutAbsent = (settings: Values): Values =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([key, value]) => !fits(settingNamed(key)?.absent ?? [], value),
    ),
  );

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Checks types too, because Node.js runs the stages' files without checking them.
 * @param source named in the message.
 * @param names all keys that the source may have.
 * @throws SettingsError that names the source and the key, and says what to write.
 */
export function checkSettings(
  given: Readonly<Record<string, unknown>>,
  source: string,
  names: readonly string[] = keys,
): asserts given is Values {
  const fault =
    keyFault(given, names) ??
    missingKeys(given, names) ??
    contradiction(given) ??
    regionFault(given);
  if (fault !== undefined) throw new SettingsError(`${source}: ${fault}`);
}

/** Completes "must be …". */
function expected(key: string): string {
  const { rule, example } = settingNamed(key) ?? {};
  return example === undefined ? `${rule}` : `${rule}, such as ${example}`;
}

function keyFault(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const [key, value] of Object.entries(given)) {
    const setting = names.includes(key) ? settingNamed(key) : undefined;
    if (setting === undefined) return `unknown key ${key}. The keys are ${names.join(', ')}.`;
    if (typeof value !== 'string' || !fits(setting.accepts, value))
      return `${key} must be ${expected(key)}.`;
    const fault = setting.faultOf?.(value);
    if (fault !== undefined) return `${key} ${fault}`;
  }
  return undefined;
}

function fits(pattern: Pattern, value: string): boolean {
  if (typeof pattern === 'function') return pattern(value);
  return pattern instanceof RegExp ? pattern.test(value) : pattern.includes(value);
}

/** Names all missing keys at once, so that they can be decided together. */
function missingKeys(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  const isNeeded = (key: string) =>
    key === 'audience' ? given.issuer !== 'cognito' : settingNamed(key)?.isRequired;
  const missing = names.filter((key) => isNeeded(key) && !(key in given));
  if (missing.length === 0) return undefined;
  const lines = missing.map((key) => {
    const isUnlessCognito = key === 'audience' ? ' (not with cognito)' : '';
    return `\n  ${key}: ${expected(key)}${isUnlessCognito}`;
  });
  return `these keys are missing and have no default. Choose a value for each:${lines.join('')}`;
}

function contradiction(given: Values): string | undefined {
  for (const key of Object.keys(given)) {
    const other = settingNamed(key)?.needs;
    if (other !== undefined && !(other in given))
      return `${key} needs ${other}. Set ${other} to ${expected(other)}.`;
  }
  const ofOwnIssuer = Object.keys(withoutAbsent(given)).find(
    (key) => settingNamed(key)?.isOfOwnIssuer,
  );
  if (given.issuer !== 'cognito' || ofOwnIssuer === undefined) return undefined;
  const remedy = settingNamed(ofOwnIssuer)?.isRequired ? 'Set it to none' : 'Remove it';
  return `${ofOwnIssuer} belongs to an issuer of your own, but the issuer is cognito. ${remedy}, or set issuer to your own.`;
}

/** Certificate, stream, KMS keys and DynamoDB endpoint must all be in the stack's region. */
function regionFault(given: Values): string | undefined {
  const { region, certificateArn, restoredTableStream, filesKey, databaseEndpoint } = given;
  const regionsOf = (arns: string | undefined) => splitList(arns).map((arn) => arn.split(':')[3]);
  const named = {
    certificateArn: regionsOf(certificateArn),
    restoredTableStream: regionsOf(restoredTableStream),
    filesKey: regionsOf(filesKey),
    databaseEndpoint: DEFAULT_ENDPOINT.exec(databaseEndpoint ?? '')?.slice(1) ?? [],
  };
  for (const [key, regions] of Object.entries(named)) {
    const other = regions.find((it) => it !== region);
    if (other === undefined) continue;
    const remedy = region === 'any' ? '' : `, or use a resource in ${region}`;
    return `${key} names a resource in ${other}, but region is ${region}. Set region to ${other}${remedy}.`;
  }
  return undefined;
}
