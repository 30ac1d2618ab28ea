/** As `entityTag` writes it. Versions begin at 1. */
const ENTITY_TAG = /^"([1-9]\d{0,15})"$/;

const ANY = /^[ \t]*\*[ \t]*$/;

/** RFC 9110 allows commas inside a tag (section 8.8.3) and empty elements (section 5.6.1). */
const LIST = /^[ \t]*(?:(?:(?:W\/)?"[!#-~\x80-\uffff]*"[ \t]*)?(?:,[ \t]*|$))*$/;

/** How many tags to read: DynamoDB limits the size of a condition, and no client needs more. */
const MAX_TAGS = 50;

/**
 * The versions that `If-Match` allows (section 13.1.1); undefined if it allows all. A malformed header allows none, and
 * a tag that this service does not issue, such as a weak one, matches none.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ANY.test(ifMatch)) return undefined;
  const tags = LIST.test(ifMatch) ? (ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  return tags
    .slice(0, MAX_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag)?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
