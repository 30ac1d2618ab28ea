/** The form of this service's entity tags: a version in quotation marks. Versions begin at 1. */
const ENTITY_TAG = /^"([1-9]\d{0,15})"$/;

const ANY = /^[ \t]*\*[ \t]*$/;

/**
 * The form of a list of entity tags. RFC 9110 allows commas inside a tag (section 8.8.3) and empty elements in a list
 * (section 5.6.1).
 */
const LIST = /^[ \t]*(?:(?:(?:W\/)?"[!#-~\x80-\uffff]*"[ \t]*)?(?:,[ \t]*|$))*$/;

/**
 * The maximum number of entity tags that the service reads in one header. DynamoDB limits the size of a condition, and
 * no client needs more than 50 tags.
 */
const MAX_TAGS = 50;

/**
 * Returns the versions that an `If-Match` header allows (RFC 9110, section 13.1.1); undefined if the header is absent
 * or allows every version. A malformed header allows no version. A tag that this service does not issue, such as a weak
 * tag, matches no version.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ANY.test(ifMatch)) return undefined;
  const tags = LIST.test(ifMatch) ? (ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  return tags
    .slice(0, MAX_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag)?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
