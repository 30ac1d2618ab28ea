/** An entity tag that `entityTag` writes. Versions begin at 1. */
const ENTITY_TAG = /^"([1-9]\d{0,15})"$/;

const ANY = /^[ \t]*\*[ \t]*$/;

/**
 * A list of entity tags. A tag may contain commas (RFC 9110, section 8.8.3), and elements of the list may be empty
 * (section 5.6.1).
 */
const LIST = /^[ \t]*(?:(?:(?:W\/)?"[!#-~\x80-\uffff]*"[ \t]*)?(?:,[ \t]*|$))*$/;

/** The maximum number of tags that are read. DynamoDB limits the size of a condition, and no client needs more tags. */
const LIMIT_TAGS = 50;

/**
 * Returns the versions that an `If-Match` header allows (RFC 9110, section 13.1.1); undefined if the header allows
 * any version. A malformed list allows no version. Tags that this service does not issue, such as weak tags, match
 * no version.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ANY.test(ifMatch)) return undefined;
  const tags = LIST.test(ifMatch) ? (ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  return tags
    .slice(0, LIMIT_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag)?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
