import { isUtf8 } from 'node:buffer';
import { BODY_MEDIA_TYPE } from '../contract/headers.ts';
import type { Operation } from '../contract/operation.ts';
import {
  bodyTooLarge,
  MAX_BODY_BYTES,
  malformedJson,
  unsupportedMediaType,
} from '../contract/problem.ts';
import type { Middleware } from '../runtime/invocation.ts';

/**
 * Rejects a body that is not declared as JSON (415), is absent (400), is not UTF-8 (400) or is too large (413). Runs
 * before the parser, so that the parser never spends time on a large body.
 *
 *     .use(requireJson(updateJobStatus))
 *     .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
 */
export function requireJson({ method }: Pick<Operation, 'method'>): Middleware {
  return {
    before: ({ event: { headers, body, isBase64Encoded } }) => {
      const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (mediaType !== BODY_MEDIA_TYPE) throw unsupportedMediaType(method);
      if (typeof body !== 'string') throw malformedJson();
      const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
      if (bytes.length > MAX_BODY_BYTES) throw bodyTooLarge();
      // The parser would accept bytes that are not UTF-8, and would silently replace them with other characters.
      if (!isUtf8(bytes)) throw malformedJson();
    },
  };
}
