/** As `entityTag` writes it. */
const ENTITY_TAG = /^"([1-9]\d{0,15})"$/;

const ANY = /^[ \t]*\*[ \t]*$/;

/** Commas inside a tag and empty elements are valid (RFC 9110, sections 8.8.3 and 5.6.1). */
const LIST = /^[ \t]*(?:(?:(?:W\/)?"[!#-~\x80-\uffff]*"[ \t]*)?(?:,[ \t]*|$))*$/;

/** DynamoDB limits the size of a condition, and no client needs more tags. */
const MAX_TAGS = 50;

/**
 * Undefined if `If-Match` allows any version (RFC 9110, section 13.1.1). A malformed header allows none. Tags that this
 * service does not issue, such as weak ones, match none.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ANY.test(ifMatch)) return undefined;
  const tags = LIST.test(ifMatch) ? (ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  return tags
    .slice(0, MAX_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag)?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
