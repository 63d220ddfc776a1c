/** What of two results may differ: addresses that are signed anew, and what is told of them. */

import { expect, it } from "vitest";
import { differenceOf, isSameJson } from "../../../../contract/judges/job/same-json.ts";

const ONE = "https://files.example.com/a.pdf?sig=1";
const OTHER = "https://files.example.com/a.pdf?sig=2";
const SIGNED = "/files/a.pdf?sig=1";

it.each([
  ["an address", ONE, OTHER, true],
  ["an address within Markdown", `See [it](${ONE}).`, `See [it](${OTHER}).`, true],
  ["an address within HTML", `<a href="${ONE}">it</a>`, `<a href="${OTHER}">it</a>`, true],
  ["the text about an address", `See [it](${ONE}).`, `See [that](${OTHER}).`, false],
  ["a text that loses its address", `See ${ONE}`, "See", false],
  [
    "until when an address holds, and its signature",
    { url: ONE, expires_at: "12:00", signature: "a" },
    { url: OTHER, expires_at: "12:01", signature: "b" },
    true,
  ],
  [
    "for how long an address holds",
    { url: ONE, ttl_seconds: 60, valid_for: 60 },
    { url: OTHER, ttl_seconds: 59, valid_for: 59 },
    true,
  ],
  ["a signed path", "/files/a.pdf?v=1&signature=1", "/files/a.pdf?v=1&signature=2", true],
  ["what a signed path has beside it", { at: SIGNED, ttl: 9 }, { at: SIGNED, ttl: 8 }, true],
  ["another path that is signed", "/files/a.pdf?sig=1", "/files/b.pdf?sig=1", false],
  ["a path with a query, not signed", "/files/a.pdf?v=1", "/files/a.pdf?v=2", false],
  ["how much was throttled", { url: ONE, throttled: 1 }, { url: OTHER, throttled: 2 }, false],
  ["an expiry that one has", { url: ONE, expires_in: 60 }, { url: OTHER }, true],
  ["an expiry without an address", { expires_at: "12:00" }, { expires_at: "12:01" }, false],
  ["what else is told beside an address", { url: ONE, pages: 1 }, { url: OTHER, pages: 2 }, false],
  ["a text in place of an address", { url: ONE }, { url: "gone" }, false],
] as const)("%s", (_, a, b, isSame) => {
  expect(isSameJson(a, b)).toBe(isSame);
  expect(isSameJson({ nested: [a] }, { nested: [b] })).toBe(isSame);
});

it("a difference is named, and not what an address has beside it", () => {
  const a = { url: ONE, expires_at: "12:00", pages: 1 };
  expect(differenceOf(a, { url: OTHER, expires_at: "12:01", pages: 2 })).toBe(
    "pages is 1, there 2",
  );
});
