/** How long what fails is asked again: as long as an accident lasts, and no more than twice. */

import { expect, it } from "vitest";
import { Patience } from "../../../scenarios/client/patience.ts";

it.each([
  ["once, for 10 s from the first failure", [[0, 1_000, 10_000]]],
  [
    "side by side, which counts once",
    [
      [0, 1_000, 10_000],
      [500, 1_500, 10_500],
      [600, 1_600, 10_600],
      [30_000, 31_000, 40_000],
      [60_000, 61_000, 61_000],
    ],
  ],
  ["not at all what has failed for longer", [[0, 12_000, 12_000]]],
] as const)("is borne %s", (_, asked) => {
  const patience = new Patience();
  for (const [sinceMs, nowMs, untilMs] of asked) {
    expect(patience.until("GET job", sinceMs, nowMs)).toBe(untilMs);
  }
});

it("is not borne again at an endpoint that was waited for in vain", () => {
  const patience = new Patience();
  patience.until("GET job", 0, 1_000);
  patience.giveUp("GET job");
  expect(patience.until("GET job", 60_000, 61_000)).toBe(61_000);
  expect(patience.until("POST submit", 60_000, 61_000)).toBe(70_000);
});
