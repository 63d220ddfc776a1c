/** The secret of a request: read from its header, compared in constant time. RFC 6750 §2.1. */

import { createHash, timingSafeEqual } from "node:crypto";

/** Null where the request has none. The scheme's name is in any case. RFC 9110 §11.1. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? null;
}

/** Of hashes, so that the length of the secret is not told either. */
export function isSameSecret(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
