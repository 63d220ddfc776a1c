/** Retry-After in both of its forms, and dates in all three of theirs. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHttpDate, retryAfterOf } from "../../../contract/answers/retry-after.ts";
import { spoilt } from "../../spoilt.ts";
import { exchangeAt } from "../judges/rate/simulated-trial.ts";

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
  const nowMs = Date.UTC(2026, 0, 2);
  it("reads IMF-fixdate", () => {
    expect(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT", nowMs)).toBe(instant);
  });
  it("reads asctime", () => {
    expect(parseHttpDate("Sun Nov  6 08:49:37 1994", nowMs)).toBe(instant);
  });
  it.each([
    [27, 2027],
    [76, 2076],
    [77, 1977],
    [94, 1994],
  ])("reads the year %i of RFC 850 as %i", (digits, year) => {
    const text = `Sunday, 06-Nov-${digits} 08:49:37 GMT`;
    expect(parseHttpDate(text, nowMs)).toBe(Date.UTC(year, 10, 6, 8, 49, 37));
  });
});

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const RUNS = { seed: 20_260_103, numRuns: 2_000 };

/** An instant in all three forms, written without the code that reads them. */
function formsOf(date: Date): string[] {
  const two = (value: number) => String(value).padStart(2, "0");
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  const [year, month = ""] = [date.getUTCFullYear(), MONTHS[date.getUTCMonth()]];
  const [weekday = "", day] = [DAYS[date.getUTCDay()], date.getUTCDate()];
  const short = weekday.slice(0, 3);
  return [
    `${short}, ${two(day)} ${month} ${year} ${time} GMT`,
    `${weekday}, ${two(day)}-${month}-${two(year % 100)} ${time} GMT`,
    `${short} ${month} ${String(day).padStart(2)} ${time} ${year}`,
  ];
}

describe("whatever a header says", () => {
  const nowMs = Date.UTC(2026, 0, 2);
  const [min, max] = [new Date("1977-01-01T00:00:00Z"), new Date("2076-12-31T23:59:59Z")];
  const date = fc.date({ min, max, noInvalidDate: true });

  it("an instant is read from each of its forms", () => {
    const holds = fc.property(date, (each) => {
      const instant = Math.floor(each.getTime() / 1_000) * 1_000;
      expect(formsOf(each).map((text) => parseHttpDate(text, nowMs))).toEqual(
        Array(3).fill(instant),
      );
    });
    fc.assert(holds, RUNS);
  });

  it("is a wait of some time, or is told as unreadable", () => {
    const some = date.chain((each) => fc.constantFrom(...formsOf(each)));
    const texts = fc.oneof(
      spoilt(some),
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[-+]?[0-9]{1,400}$/),
    );
    const holds = fc.property(texts, (text) => {
      const told = read({ "retry-after": text });
      if ("waitMs" in told) expect(told.waitMs).toSatisfy((ms) => ms >= 0 && Number.isFinite(ms));
      if (told.form === "seconds") expect(text).toMatch(/^\s*\d+\s*$/);
    });
    const examples: [string][] = [
      ["Tue, 31 Feb 2026 00:00:00 GMT"],
      ["Sunday, 00-Nov-94 08:49:37 GMT"],
      ["Sun, 06 Nov 0000 08:49:37 GMT"],
    ];
    fc.assert(holds, { ...RUNS, examples });
    const [noDay, dayZero] = examples.map(([text]) => read({ "retry-after": text }).form);
    expect([noDay, dayZero]).toEqual(["invalid", "invalid"]);
  });
});
