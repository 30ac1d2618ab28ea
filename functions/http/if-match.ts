/** As `entityTag` writes it. */
const ENTITY_TAG = /^"(0|[1-9]\d{0,15})"$/;

/** More would not fit one condition of DynamoDB, and no client holds as many versions of one job. */
const LIMIT_TAGS = 50;

/**
 * The versions that an `If-Match` header allows (RFC 9110, section 13.1.1); undefined if it
 * allows any. Tags that this service does not issue, such as weak ones, match no version.
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return ifMatch
    .split(',', LIMIT_TAGS)
    .map((tag) => Number(ENTITY_TAG.exec(tag.trim())?.[1]))
    .filter((version) => Number.isSafeInteger(version));
}
