/** Retry-After in both of its forms, and dates in all three of theirs. */

import { describe, expect, it } from "vitest";
import { parseHttpDate, retryAfterOf } from "../../contract/retry-after.ts";
import { exchangeAt } from "./judges/rate/simulated-trial.ts";

const read = (headers: Record<string, string>) => retryAfterOf(exchangeAt(0, 429, headers));

describe("Retry-After", () => {
  it("is absent when there is no header", () => {
    expect(read({})).toEqual({ form: "absent" });
  });
  it("reads whole seconds", () => {
    expect(read({ "retry-after": "2" })).toEqual({ form: "seconds", waitMs: 2_000 });
  });
  it("reads a date against the answer's own Date", () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const later = "Sun, 06 Nov 1994 08:49:40 GMT";
    expect(read({ date, "retry-after": later })).toEqual({ form: "date", waitMs: 3_000 });
  });
  it("takes a date already past as no wait", () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT";
    const past = "Sun, 06 Nov 1994 08:49:30 GMT";
    expect(read({ date, "retry-after": past })).toEqual({ form: "date", waitMs: 0 });
  });
  for (const text of ["soon", "-1", "1.5", "1s", "Sun, 06 Nov 1994 08:49:37 UTC"]) {
    it(`refuses "${text}"`, () => {
      expect(read({ "retry-after": text })).toEqual({ form: "invalid", text });
    });
  }
});

/** The three forms of one instant in RFC 9110 §5.6.7. */
describe("HTTP-date", () => {
  const instant = Date.UTC(1994, 10, 6, 8, 49, 37);
  it("reads IMF-fixdate", () => {
    expect(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT")).toBe(instant);
  });
  it("reads asctime", () => {
    expect(parseHttpDate("Sun Nov  6 08:49:37 1994")).toBe(instant);
  });
  it("reads RFC 850 in this century", () => {
    expect(parseHttpDate("Saturday, 06-Nov-27 08:49:37 GMT")).toBe(
      Date.UTC(2027, 10, 6, 8, 49, 37),
    );
  });
});
