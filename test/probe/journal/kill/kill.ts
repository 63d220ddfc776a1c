/** Kills probes side by side, each with a service and a journal of its own. */

import { Chance } from "../simulation/chance.ts";
import type { LanePlan } from "./lane.ts";
import { killInLane } from "./lane.ts";
import type { LaneReport } from "./report.ts";

export interface Killing {
  kills: number;
  lanes: number;
  seed: number;
  /** Share of the restarts before which the journal's files are harmed. */
  damageShare: number;
}

/** Every other lane has a ceiling that binds; one of two such lanes has no damage. */
const BOUNDED_EACH = 2;
const UNHARMED_EACH = 4;
/** Ours: a life submits some three jobs, so that most kills come after the ceiling is reached. */
const CEILING_JOBS_MAX = 60;
const CEILING_JOBS_A_KILL = 0.25;

function laneOf(kills: number, damageShare: number, number: number): LanePlan {
  const ceilingJobs = Math.min(CEILING_JOBS_MAX, Math.ceil(kills * CEILING_JOBS_A_KILL));
  return {
    kills,
    damageShare: number % UNHARMED_EACH === 0 ? 0 : damageShare,
    ceilingJobs: number % BOUNDED_EACH === 0 ? ceilingJobs : null,
  };
}

export async function kill({ kills, lanes, seed, damageShare }: Killing): Promise<LaneReport> {
  const shares = Array.from({ length: lanes }, (_, lane) => Math.floor((kills + lane) / lanes));
  const reports = await Promise.all(
    shares.map((share, lane) =>
      killInLane(laneOf(share, damageShare, lane + 1), new Chance(seed + lane)),
    ),
  );
  const sum = (of: (report: LaneReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    kills: sum((report) => report.kills),
    jobs: sum(({ jobs }) => jobs),
    recovered: sum(({ recovered }) => recovered),
    unresolved: sum(({ unresolved }) => unresolved),
    damages: sum(({ damages }) => damages),
    accepted: sum(({ accepted }) => accepted),
    bounded: sum(({ bounded }) => bounded),
    reached: sum(({ reached }) => reached),
    killsSinceReached: sum(({ killsSinceReached }) => killsSinceReached),
    problems: reports.flatMap(({ problems }) => problems),
  };
}
