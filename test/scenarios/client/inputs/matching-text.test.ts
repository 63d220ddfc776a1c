/** Texts for patterns, each tried with its pattern. */

import { describe, expect, it } from "vitest";
import { matchingText } from "../../../../scenarios/client/inputs/matching-text.ts";

describe("matchingText", () => {
  it.each([
    ["^[a-z]{3}-[0-9]{2}$", "xxx-00"],
    ["^\\d{4}-\\d{2}-\\d{2}$", "0000-00-00"],
    ["^#(?:[0-9a-f]{3}|[0-9a-f]{6})$", "#000"],
    ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "x@x.xx"],
    ["^(?<kind>sku|art)_[A-Z]+\\d*$", "sku_Z"],
    ["^\\p{Lu}\\p{Ll}+$", "Zx"],
    ["^https?://.+$", "http://x"],
    ["^[æø]?[\\]\\-]{2}$", "--"],
    ["^(a(b|c)){2}\\.$", "abab."],
    ["[0-9]{2}", "00"],
  ])("finds one for %s", (pattern, text) => {
    expect(matchingText(pattern)).toBe(text);
    expect(new RegExp(pattern, "u").test(text)).toBe(true);
  });

  it.each(["^(?=a)b$", "^[b-a]$", "^a)$", "^(a$", "^\\1$"])("finds none for %s", (pattern) => {
    const text = matchingText(pattern);
    const isMatch = () => text !== null && new RegExp(pattern, "u").test(text);
    expect(text === null || !isMatch()).toBe(true);
  });

  it("is soon done with many groups before what it does not read", () => {
    const startedMs = performance.now();
    expect(matchingText(`${"(?:a)".repeat(24)}\\u{1F600}`)).toBe(null);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});
