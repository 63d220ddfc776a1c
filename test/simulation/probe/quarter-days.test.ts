/**
 * Hours of the probe on a healthy service, in the calmest or the roughest surroundings: as many as
 * the longest window of a page has. Some of the surroundings have an hour in hours.test.ts;
 * whole days and more seeds by `npm run probe:worlds`.
 */

import { describe, expect, it } from "vitest";
import { drawnCases } from "../../drawn-cases.ts";
import { watchHealthy } from "./healthy-hours.ts";

const HOURS = 6;
/** A main path once a minute, and six others once in five. */
const RUNS = HOURS * (60 + 6 * 12);

describe("a quarter of a day of a healthy service", () => {
  it.each(drawnCases("quarter days", ["quiet", "storm"] as const, 2))(
    "alerts nobody, and leaves no job without its one run: %s",
    async (world) => {
      const { history, problems } = await watchHealthy({ world, seed: 100, hours: HOURS });
      expect(problems).toEqual([]);
      expect(Math.abs(history.runs.length - RUNS)).toBeLessThan(RUNS / 100);
    },
  );
});
