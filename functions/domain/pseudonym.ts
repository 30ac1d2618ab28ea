import { hash } from 'node:crypto';

const HASH_DIGITS = 16;
/** An ASCII character that is percent-encoded, once or more often. */
const ENCODED = /%(?:25)*([2-7][\da-f])/gi;
/** An international telephone number anywhere, or a national one with separators as the whole id. */
const TELEPHONE = /\+(?:[\s().-]*\p{Nd}){7}|^(?=.*[\s().-])(?:[\s().-]*\p{Nd}){7,15}[\s().-]*$/u;

/**
 * An identifier as the log and the events may hold it. One that is an e-mail address or a telephone
 * number is written as the beginning of its SHA-256, `sha256:<16 hexadecimal digits>`: someone
 * who knows the identifier can still find it, but cannot read it there. Digits alone are an id such as
 * 4007.
 */
export function pseudonym(identifier: string): string {
  return isContact(identifier)
    ? `sha256:${hash('sha256', identifier).slice(0, HASH_DIGITS)}`
    : identifier;
}

/** Whether it is an e-mail address or a telephone number, even if encoded or in full-width letters. */
function isContact(identifier: string): boolean {
  const spelled = identifier
    .normalize('NFKC')
    .replace(ENCODED, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return spelled.includes('@') || TELEPHONE.test(spelled);
}
