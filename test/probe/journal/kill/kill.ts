/** Kills probes side by side, each with a service and a journal of its own. */

import { Chance } from "../simulation/chance.ts";
import { killInLane } from "./lane.ts";
import type { LaneReport } from "./report.ts";

export interface Killing {
  kills: number;
  lanes: number;
  seed: number;
  /** Share of the restarts before which the journal's files are harmed. */
  damageShare: number;
}

export async function kill({ kills, lanes, seed, damageShare }: Killing): Promise<LaneReport> {
  const shares = Array.from({ length: lanes }, (_, lane) => Math.floor((kills + lane) / lanes));
  const reports = await Promise.all(
    shares.map((share, lane) => killInLane(share, damageShare, new Chance(seed + lane))),
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
    problems: reports.flatMap(({ problems }) => problems),
  };
}
