/** An entity tag as `entityTag` writes it. No job has version 0. */
const ENTITY_TAG = /^"([1-9]\d{0,15})"$/;

const ANY = /^[ \t]*\*[ \t]*$/;

/** A list of entity tags, which may contain commas (RFC 9110, section 8.8.3). Elements may be empty (section 5.6.1). */
const LIST = /^[ \t]*(?:(?:(?:W\/)?"[!#-~\x80-\uffff]*"[ \t]*)?(?:,[ \t]*|$))*$/;

/** More would not fit one condition of DynamoDB, and no client holds as many versions of one job. */
const LIMIT_TAGS = 50;

/**
 * Returns the versions that an `If-Match` header allows (RFC 9110, section 13.1.1); undefined if it allows any.
 * A malformed list allows none. Tags that this service does not issue, such as weak ones, match no version.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ANY.test(ifMatch)) return undefined;
  const tags = LIST.test(ifMatch) ? (ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  return tags
    .slice(0, LIMIT_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag)?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
