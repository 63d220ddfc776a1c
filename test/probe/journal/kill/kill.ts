/** Kills probes side by side, each with a service and a journal of its own. */

import { Chance } from "../simulation/chance.ts";
import { killInLane } from "./lane.ts";
import type { LaneReport } from "./report.ts";

export async function kill(kills: number, lanes: number, seed: number): Promise<LaneReport> {
  const shares = Array.from({ length: lanes }, (_, lane) => Math.floor((kills + lane) / lanes));
  const reports = await Promise.all(
    shares.map((share, lane) => killInLane(share, new Chance(seed + lane))),
  );
  const sum = (of: (report: LaneReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    kills: sum((report) => report.kills),
    jobs: sum(({ jobs }) => jobs),
    recovered: sum(({ recovered }) => recovered),
    unresolved: sum(({ unresolved }) => unresolved),
    problems: reports.flatMap(({ problems }) => problems),
  };
}
