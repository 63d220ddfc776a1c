/** kill -9 at random moments, with real processes, sockets and files. */

import { expect, it } from "vitest";
import { kill } from "./kill/kill.ts";

const KILLS = 200;
/** Ours: a probe that lives its life waits, so that two cores have time for more than two. */
const LANES = 4;
const TIMEOUT_MS = 600_000;

it(
  `after ${KILLS} kills no job is lost and none is counted twice`,
  async () => {
    const report = await kill(KILLS, LANES, 1);
    expect(report.problems).toEqual([]);
    expect(report.kills).toBe(KILLS);
    // It proves nothing unless jobs were in flight.
    expect(report.jobs).toBeGreaterThan(KILLS / 2);
    expect(report.recovered).toBeGreaterThan(KILLS / 4);
  },
  TIMEOUT_MS,
);
