/** A test that kills a probe so many times: `npm test` takes a few of them, test:all many. */

import { expect, it } from "vitest";
import { kill } from "./kill.ts";

/** Ours: a probe that lives its life waits, so that two cores have time for more than two. */
const LANES = 4;
const TIMEOUT_MS = 600_000;

/** `damageShare`: of the restarts before which the journal's files are harmed. */
export function testKills(kills: number, damageShare = 0): void {
  const harm =
    damageShare === 0 ? "" : ` and harm to the files before ${damageShare} of the starts`;
  it(
    `after ${kills} kills${harm} no job is lost, none is counted twice, and no budget exceeded`,
    async () => {
      const report = await kill({ kills, lanes: LANES, seed: 1, damageShare });
      expect(report.problems).toEqual([]);
      expect(report.kills).toBe(kills);
      // It proves nothing unless jobs were in flight.
      expect(report.jobs).toBeGreaterThan(kills / 2);
      expect(report.recovered).toBeGreaterThan(kills / 4);
      expect(report.reached).toBe(LANES / 2);
      expect(report.killsSinceReached).toBeGreaterThan(0);
      expect(report.damages > 0).toBe(damageShare > 0);
    },
    TIMEOUT_MS,
  );
}
