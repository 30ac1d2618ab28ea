import { isIdentifier } from '../domain/identifier.ts';
import { pseudonym } from '../domain/pseudonym.ts';

/**
 * An identifier as the log may hold it: under a pseudonym where it is an e-mail address or a telephone
 * number. What is no identifier names nothing, may hold anything, and is left out.
 */
export function loggedIdentifier(value: unknown): string | undefined {
  return typeof value === 'string' && isIdentifier(value) ? pseudonym(value) : undefined;
}
