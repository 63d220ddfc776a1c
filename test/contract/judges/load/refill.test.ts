/** The backlog of a load whose jobs ended at once, as when their hosts are replaced. */

import { expect, it } from "vitest";
import { backlogOf } from "../../../../contract/judges/load/reading.ts";
import type { Backlog } from "../../../../contract/judges/load/stable.ts";
import { stableClaim } from "../../../../contract/judges/load/stable.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { SmallJob } from "./shares.ts";
import { drawLoad, seenOf } from "./shares.ts";
import { IDLE } from "./violations.ts";

const SECONDS = 60;
const LIFE_MS = 10_000;
const MARGIN = 0.5;

/** Four jobs a second, of which each lives as long as told. */
function backlogWhere(livesMs: (sinceMs: number) => number): Backlog {
  const load = drawLoad(1, 0, SECONDS);
  const [first] = load.jobs;
  const jobs = load.jobs.map((job): SmallJob => {
    const sinceMs = job.sentAtMs - (first?.sentAtMs ?? 0);
    return { ...job, endMs: job.sentAtMs + livesMs(sinceMs) };
  });
  return backlogOf(seenOf({ ...load, jobs }, jobs, 1));
}

/** All that ran at that time end. */
function endingAt(killMs: number): Backlog {
  return backlogWhere((sinceMs) =>
    sinceMs <= killMs && killMs < sinceMs + LIFE_MS ? killMs - sinceMs : LIFE_MS,
  );
}

function verdictOf(backlog: Backlog): string {
  const { verdict } = decide(stableClaim([], backlog, MARGIN, { doubt: null, lag: IDLE }, null));
  return verdict;
}

it("is measured where it is full, not where it grows back", () => {
  const backlog = endingAt(15_000);
  expect(backlog.isRefill).toBe(false);
  expect(backlog.first).toBeGreaterThan(38);
  expect(backlog.last).toBeGreaterThan(38);
});

it("is no lower in the last third for jobs that ended at once", () => {
  expect(endingAt(50_000).last).toBeGreaterThan(38);
});

it("leaves a drift in doubt where it does nothing but grow back", () => {
  const backlog = endingAt(10_500);
  expect(backlog.isRefill).toBe(true);
  expect(verdictOf(backlog)).toBe("inconclusive");
});

it("drifts where jobs live longer and longer", () => {
  const backlog = backlogWhere((sinceMs) => LIFE_MS / 4 + sinceMs / 4);
  expect(backlog.isRefill).toBe(false);
  expect(verdictOf(backlog)).toBe("broken");
});
