/** What a report quotes of a long body. */

import { describe, expect, it } from "vitest";
import { cutQuote } from "../../contract/verdict.ts";

const LONG = "x".repeat(1_700);
const TEXT = `${"x".repeat(60)}… (1700 characters)`;

describe("a quoted body", () => {
  it("is as it was sent where it is short", () => {
    const body = `{"text":"${"x".repeat(500)}", "n":1.0}`;
    expect(cutQuote(body)).toBe(body);
  });

  it("shows what comes after a long text, as it was written", () => {
    const body = `{ "text":"${LONG}", "quoted\\"${LONG}":1, "cost":{"total_usd":2.0} }`;
    const name = `quoted\\"${"x".repeat(52)}… (1708 characters)`;
    expect(cutQuote(body)).toBe(`{ "text":"${TEXT}", "${name}":1, "cost":{"total_usd":2.0} }`);
    expect(cutQuote(cutQuote(body))).toBe(cutQuote(body));
  });

  it("has no half of a character", () => {
    const text = `${"x".repeat(59)}${"😀".repeat(400)}`;
    expect(cutQuote(JSON.stringify({ text }))).toBe(
      `{"text":"${"x".repeat(59)}… (859 characters)"}`,
    );
    expect(cutQuote(`${"x".repeat(599)}😀`)).toBe(`${"x".repeat(599)}… (601 characters)`);
  });

  it("is cut where it is long without a long text, and tells how long it is", () => {
    const body = JSON.stringify(Array.from({ length: 900 }, (_, at) => at));
    expect(cutQuote(body)).toBe(`${body.slice(0, 600)}… (${body.length} characters)`);
    expect(cutQuote(cutQuote(body))).toBe(cutQuote(body));
    const two = JSON.stringify({ text: LONG, all: JSON.parse(body) as unknown });
    expect(cutQuote(two)).toMatch(/^\{"text":"x{60}… \(1700 characters\)","all":\[0,1,2/);
    expect(cutQuote(two).endsWith(`… (${two.length} characters)`)).toBe(true);
  });
});
