/** Secrets are blanked in each form in which an answer may give them back. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../../contract/redact.ts";
import { Secret } from "../../contract/secret.ts";

const KEY = 'plk_+/"ü0123456789abcdef';

describe("a secret", () => {
  it.each([
    ["plain", KEY],
    ["in JSON", JSON.stringify({ key: KEY })],
    ["in JSON in JSON", JSON.stringify({ body: JSON.stringify({ key: KEY }) })],
    ["in a URL", `https://x/?key=${encodeURIComponent(KEY)}&b`],
    ["in JSON whose slashes are escaped", JSON.stringify({ key: KEY }).replaceAll("/", "\\/")],
    ["in a URL that leaves slashes", encodeURIComponent(KEY).replaceAll("%2F", "/")],
    ["in a URL in lower case", encodeURIComponent(KEY).replaceAll(/%../g, (x) => x.toLowerCase())],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["in base64url", Buffer.from(KEY).toString("base64url")],
    ["behind a user's name", `Basic ${Buffer.from(`me:${KEY}`).toString("base64")}`],
    ["before something else", Buffer.from(`k=${KEY}; more`).toString("base64")],
  ])("%s is blanked", (_, text) => {
    const blanked = redactor([new Secret(KEY)])(text);
    expect(blanked).toContain("[redacted]");
    expect(blanked).not.toContain("0123456789abcdef");
    for (const token of blanked.split(/[^\w+/=-]+/)) {
      expect(Buffer.from(token, "base64").toString()).not.toContain("0123456789abcdef");
    }
  });

  it("is blanked anywhere in what is encoded", () => {
    const key = "plk_0123456789abcdef";
    const blank = redactor([new Secret(key)]);
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const text = blank(Buffer.from(before + key + after).toString("base64"));
        expect(Buffer.from(text.replace("[redacted]", ""), "base64").toString()).not.toContain(key);
        expect(text).toContain("[redacted]");
      }),
    );
  });

  it("leaves other texts as they are", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactor([new Secret(KEY), new Secret("")])(text)).toBe(text);
      }),
    );
  });

  it("that holds another one is blanked whole", () => {
    expect(redactor([new Secret("abc"), new Secret("abcdef")])("abcdef abc")).toBe(
      "[redacted] [redacted]",
    );
  });
});
