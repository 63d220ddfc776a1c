/** The header of W3C Trace Context, by the figures of the specification. */

import { expect, it } from "vitest";
import { TRACE_BYTES, traceContext, traceLink } from "../../../contract/requests/trace.ts";

it("has a version, 16 bytes of trace, 8 of span, and is sampled", () => {
  const bytes = Uint8Array.from({ length: 24 }, (_, at) => at);
  expect(TRACE_BYTES).toBe(24);
  expect(traceContext(bytes)).toEqual({
    traceId: "000102030405060708090a0b0c0d0e0f",
    traceparent: "00-000102030405060708090a0b0c0d0e0f-1011121314151617-01",
  });
});

it("is never an id of zeros, which would be invalid", () => {
  const { traceparent } = traceContext(new Uint8Array(24));
  expect(traceparent).toBe(`00-${"0".repeat(31)}1-${"0".repeat(15)}1-01`);
});

it("is put into an address wherever that names it", () => {
  expect(traceLink("https://t.example.com/{traceId}?id={traceId}", "abc")).toBe(
    "https://t.example.com/abc?id=abc",
  );
});
