/** A short name for a piece of data: equal data has the same one, whatever the order of members. */

import type { Json } from "../verdict.ts";

/** Fowler, Noll and Vo's FNV-1a, 32 bits, over UTF-16 code units. */
const FNV = { offset: 0x811c9dc5, prime: 0x01000193 } as const;

/** Eight hexadecimal digits. It tells changes, and withstands no forger. */
export function fingerprint(value: Json): string {
  let hash: number = FNV.offset;
  const text = canonical(value);
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV.prime);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`;
}
