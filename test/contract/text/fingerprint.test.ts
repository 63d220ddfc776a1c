/** Names for data: the same for equal data alone. */

import { expect, it } from "vitest";

import { fingerprint } from "../../../contract/text/fingerprint.ts";

it("is FNV-1a of the text", () => {
  // By hand: (0x811c9dc5 xor 0x31) * 0x01000193, modulo 2^32.
  expect(fingerprint(1)).toBe("340ca71c");
});

it("does not depend on the order of members, and on all else", () => {
  const one = fingerprint({ a: 1, b: [1, 2, { c: null }] });
  expect(fingerprint({ b: [1, 2, { c: null }], a: 1 })).toBe(one);
  for (const other of [{ a: 1 }, { a: 1, b: [2, 1, { c: null }] }, { a: "1", b: [] }, []]) {
    expect(fingerprint(other)).not.toBe(one);
  }
});
