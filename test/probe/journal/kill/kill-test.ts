/** A test that kills a probe so many times: `npm test` takes a few of them, test:all many. */

import { expect, it } from "vitest";
import { kill } from "./kill.ts";

/** Ours: a probe that lives its life waits, so that two cores have time for more than two. */
const LANES = 4;
const TIMEOUT_MS = 600_000;

export function testKills(kills: number): void {
  it(
    `after ${kills} kills no job is lost and none is counted twice`,
    async () => {
      const report = await kill({ kills, lanes: LANES, seed: 1, damageShare: 0 });
      expect(report.problems).toEqual([]);
      expect(report.kills).toBe(kills);
      // It proves nothing unless jobs were in flight.
      expect(report.jobs).toBeGreaterThan(kills / 2);
      expect(report.recovered).toBeGreaterThan(kills / 4);
    },
    TIMEOUT_MS,
  );
}
