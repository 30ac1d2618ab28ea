/** As `entityTag` writes it. */
const ENTITY_TAG = /^"([1-9]\d{0,15})"$/;

const ANY = /^[ \t]*\*[ \t]*$/;

/** Commas inside a tag and empty elements are valid (RFC 9110, sections 8.8.3 and 5.6.1). */
const LIST = /^[ \t]*(?:(?:(?:W\/)?"[!#-~\x80-\uffff]*"[ \t]*)?(?:,[ \t]*|$))*$/;

/** No client needs more, and DynamoDB limits the size of a condition. */
const MAX_TAGS = 50;

/**
 * Undefined if any version will do: no header, or `*` (RFC 9110, section 13.1.1). Empty if none will: a malformed
 * header, or only tags that this service does not issue, such as weak ones.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ANY.test(ifMatch)) return undefined;
  const tags = LIST.test(ifMatch) ? (ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  return tags
    .slice(0, MAX_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag)?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
