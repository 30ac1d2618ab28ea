import { isUtf8 } from 'node:buffer';
import { BODY_MEDIA_TYPE } from '../contract/headers.ts';
import type { Operation } from '../contract/operation.ts';
import {
  bodyTooLarge,
  MAX_BODY_BYTES,
  malformedJson,
  unsupportedCoding,
  unsupportedMediaType,
} from '../contract/problem.ts';
import { splitList } from '../domain/split-list.ts';
import type { Middleware } from '../platform/invocation.ts';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Refuses a body before the parser spends time on it. */
export function requireJson({ method }: Pick<Operation, 'method'>): Middleware {
  return {
    before: ({ event }) => {
      const { headers, body, isBase64Encoded } = event;
      const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (mediaType !== BODY_MEDIA_TYPE) throw unsupportedMediaType(method);
      const codings = splitList(headers['content-encoding']);
      const isCoded = codings.some((name) => name.toLowerCase() !== 'identity');
      if (isCoded) throw unsupportedCoding(method);
      if (typeof body !== 'string') throw malformedJson();
      const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
      if (bytes.length > MAX_BODY_BYTES) throw bodyTooLarge();
      // The parser would silently replace bytes that are not UTF-8.
      if (!isUtf8(bytes)) throw malformedJson();
      // The parser would reject a byte order mark, which a reader may skip (RFC 8259, section 8.1).
      if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
        event.body = bytes.toString('utf8', BYTE_ORDER_MARK.length);
        event.isBase64Encoded = false;
      }
    },
  };
}
