/**
 * Unpacks the body of an answer, and of a webhook: services and caches on the way pack what was
 * asked for as it is.
 */

import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";

type Unpack = typeof inflateEither;

/** By content coding. RFC 9110 §8.4.1, RFC 8878 §7.2. */
const UNPACK: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateEither],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
]);

/** Ours: a service packs, and a cache on the way; each more is work that others choose for us. */
const CODINGS_MAX = 3;

/** Whether all of the codings are known, and no more than are undone. */
export function canUnpack(encoding: string): boolean {
  const codings = codingsOf(encoding);
  const isKnown = (coding: string) => UNPACK.has(coding) || coding === "identity";
  return codings.length <= CODINGS_MAX && codings.every(isKnown);
}

function codingsOf(encoding: string): string[] {
  return encoding.split(",").map((each) => each.trim().toLowerCase());
}

/**
 * The body as it was before the codings of `Content-Encoding` were applied, in that order; an
 * unknown coding leaves it as it is, and so do too many. `too-long`: more than `bytesMax` would
 * come out.
 */
export function unpacked(
  bytes: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Buffer | "too-long" | "not-whole" {
  if (encoding === undefined || bytes.byteLength === 0) return bytes;
  const codings = codingsOf(encoding);
  if (codings.length > CODINGS_MAX) return bytes;
  let body = bytes;
  try {
    for (const coding of codings.reverse()) {
      body = UNPACK.get(coding)?.(body, { maxOutputLength: bytesMax }) ?? body;
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === TOO_LONG ? "too-long" : "not-whole";
  }
  return body;
}

/** Code of zlib's error where `maxOutputLength` is reached. Source: Node's documentation. */
const TOO_LONG = "ERR_BUFFER_TOO_LARGE";

/** Low half of the first byte of a zlib stream. RFC 1950 §2.2. */
const ZLIB_METHOD = 8;

/** Some send the bare deflate stream, without zlib's frame. RFC 9110 §8.4.1.2. */
function inflateEither(bytes: Buffer, limit: { maxOutputLength: number }): Buffer {
  const isFramed = ((bytes[0] ?? 0) & 0x0f) === ZLIB_METHOD;
  return isFramed ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit);
}
