/** Altered keys are other keys for sure, and are told without any part of the real one. */

import { describe, expect, it } from "vitest";
import { alteredKeys } from "../../../scenarios/contract/altered-keys.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";

const KEYS = [
  "plk_456978e4565c4b29b244e92d17b226f9",
  "sk_live_51HqLyjWDarjtT1zdp7dc",
  "9f86d081884c7d659a2feaa0c55ad015",
  "dGhlIHNhbXBsZSBub25jZQTq0wB3cXx_",
];

/** Of a service that knows no other key. */
const altered = (seed: number, key: string) => alteredKeys(seededRandom(seed), key, [key]);

describe("alteredKeys", () => {
  it.each(KEYS)("of %s are all different, and none is the key", (key) => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const values = altered(seed, key).map(({ value }) => value);
      expect(values.length).toBeGreaterThan(9);
      expect(new Set([...values, key]).size).toBe(values.length + 1);
    }
  });

  it("are none of the other keys that the service knows", () => {
    const [key = ""] = KEYS;
    const all = altered(1, key).map(({ value }) => value);
    const [other = ""] = all;
    const values = alteredKeys(seededRandom(1), key, [key, other]).map(({ value }) => value);
    expect(values).toEqual(all.slice(1));
  });

  it.each(KEYS)("of %s change more than a coding may leave out at the end", (key) => {
    for (const { what, value } of altered(3, key)) {
      if (!what.includes("last character changed")) continue;
      const bytes = (text: string) => Buffer.from(text.slice(-4), "base64url").toString("hex");
      expect(bytes(value)).not.toBe(bytes(key));
    }
  });

  it.each([
    ["a prefix of letters", KEYS[0] ?? "", true],
    ["both cases", KEYS[3] ?? "", true],
    ["digits that may be read in either case", KEYS[2] ?? "", false],
  ])("in other letter case, where the key has %s", (_, key, isSent) => {
    const other = altered(1, key).filter(({ what }) => what.includes("case"));
    expect(other.length > 0).toBe(isSent);
  });

  it.each(["short", "abc_12345", "with a space and more", ""])("are none of %j", (key) => {
    expect(altered(1, key)).toEqual([]);
  });

  it("tell nothing of the key", () => {
    for (const key of KEYS) {
      for (const { what } of altered(1, key)) {
        for (let at = 0; at + 6 <= key.length; at += 1) {
          expect(what).not.toContain(key.slice(at, at + 6));
        }
      }
    }
  });
});
