/** Secrets are blanked in each form in which an answer may give them back. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { webPageText } from "../../../contract/answers/web-page.ts";
import { describe as describeValue } from "../../../contract/decode/decoded.ts";
import { quoted } from "../../../contract/text/quoted.ts";
import { redactor } from "../../../contract/text/redact.ts";
import { Secret } from "../../../contract/text/secret.ts";
import { cutQuote } from "../../../contract/verdict.ts";
import { TextTail } from "../../../runner/text-tail.ts";

/** As RFC 3986 and strict writers of URLs do, who leave letters, digits and four others. */
const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);

/** As Go's encoder does, for pages. */
const goJson = (text: string) =>
  JSON.stringify(text).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

const HTML = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const html = (text: string) => text.replace(/[&<>"']/g, (char) => HTML[char as keyof typeof HTML]);

const KEY = 'plk_+/"ü0123456789abcdef';

/** Ours: fewer characters beside a cut tell nothing of a key. */
const LEFT_MAX = 4;

function tailOf(text: string): string {
  const tail = new TextTail();
  tail.add(text);
  return tail.end;
}

it("blanks each of several secrets that stand in one", () => {
  const redact = redactor([new Secret("whsec-of-one whsec-of-two a")]);
  expect(redact("signed by whsec-of-two, as a whsec-of-one")).toBe(
    "signed by [redacted], as a [redacted]",
  );
});

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

  const ODD = "canary&big!key*with(odd)'chars'<1234>";
  it.each([
    ["a strict URL", strict(ODD)],
    ["a strict URL, encoded twice", encodeURIComponent(strict(ODD))],
    ["Go's JSON", goJson(ODD)],
    ["Go's JSON in JSON", JSON.stringify(goJson(ODD))],
    ["a page", html(ODD)],
    ["a page in a page", html(html(ODD))],
    [
      "ASCII alone",
      JSON.stringify(ODD).replace(/[^\w"]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
  ])("of odd characters is blanked in %s", (_, text) => {
    const blanked = redactor([new Secret(ODD)])(`<${text}>`);
    expect(blanked).toContain("[redacted]");
    expect(blanked).not.toMatch(/canary|odd|chars|1234/);
  });

  it.each([
    ["described", (text: string) => describeValue(text)],
    ["quoted", quoted],
    ["of a body", cutQuote],
    ["of a text in a body", (text: string) => cutQuote(JSON.stringify({ text, more: text }))],
    [
      "of a page's title",
      (text: string) => webPageText({ headers: {}, body: `<html><title>${text}` }) ?? "",
    ],
    ["of a log's end", tailOf],
    ["of a log's end, quoted", (text: string) => quoted(tailOf(text))],
  ])("is blanked wherever a text is cut: %s", (_, cut) => {
    const blank = redactor([new Secret(KEY)]);
    fc.assert(
      fc.property(fc.nat(2_100), fc.nat(2_100), (before, after) => {
        const text = blank(cut(`${"x".repeat(before)}${KEY}${"y".repeat(after)}`));
        for (let at = 0; at + LEFT_MAX < KEY.length; at += 1)
          expect(text).not.toContain(KEY.slice(at, at + LEFT_MAX + 1));
      }),
      { numRuns: 300 },
    );
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
