/** How figures read to a person. */

import { expect, it } from "vitest";
import { duration } from "../../report/text.ts";

it.each([
  [0.1234, "0.123 ms"],
  [2.6, "2.6 ms"],
  [42.1875, "42.2 ms"],
  [396.797_851_562_5, "397 ms"],
  [-396.797_851_562_5, "-397 ms"],
  [999.7, "1 s"],
  [59_960, "1 min 0 s"],
] as const)("%d ms reads %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});
