/** Adds runs to a baseline; nothing is read or written here. */

import { isSame, RUNS_MAX } from "./judge.ts";
import type { Baseline, BaselineRun } from "./model.ts";

/** Runs that become the measure for later ones; they leave the recent ones. */
export function withAccepted(baseline: Baseline, runs: readonly BaselineRun[]): Baseline {
  const recent = baseline.recent.filter((run) => !runs.some((each) => isSame(each, run)));
  return { ...baseline, accepted: added(baseline.accepted, runs), recent };
}

/** All recent runs become the measure for later ones. */
export function withRecentAccepted(baseline: Baseline): Baseline {
  return withAccepted(baseline, baseline.recent);
}

export function withRecent(baseline: Baseline, runs: readonly BaselineRun[]): Baseline {
  return { ...baseline, recent: added(baseline.recent, runs) };
}

/** Each run once; of each kind of circumstances the last 30, so that the file stays small. */
function added(runs: readonly BaselineRun[], more: readonly BaselineRun[]): BaselineRun[] {
  const others = runs.filter((run) => !more.some((each) => isSame(each, run)));
  const all = [...others, ...more].sort(
    (a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt),
  );
  const groups = Map.groupBy(all, ({ circumstances }) => JSON.stringify(circumstances));
  return all.filter((run) => {
    const group = groups.get(JSON.stringify(run.circumstances)) ?? [];
    return group.indexOf(run) >= group.length - RUNS_MAX;
  });
}
