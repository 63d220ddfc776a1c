/** When a signature says that it was made. */

import { expect, it } from "vitest";
import { signedAtMs } from "../../receiver/signature.ts";

const NONE = { signature: null, id: null, timestamp: null };

it.each([
  ["by its own t", { ...NONE, signature: "t=1700000000,v1=00" }, 1_700_000_000_000],
  ["by the companion header", { ...NONE, signature: "v1,x", timestamp: "17" }, 17_000],
  ["by neither", { ...NONE, signature: "0".repeat(64) }, null],
  ["by what is no number", { ...NONE, signature: "t=soon,v1=00" }, null],
  ["not at all", NONE, null],
])("is told %s", (_how, headers, ms) => {
  expect(signedAtMs(headers)).toBe(ms);
});
