/** Adds runs to a baseline; nothing is read or written here. */

import { isSame, RUNS_MAX, RUNS_MIN } from "./judge.ts";
import type { Baseline, BaselineRun } from "./model.ts";

/** Runs that become the measure for later ones; they leave the recent ones. */
export function withAccepted(baseline: Baseline, runs: readonly BaselineRun[]): Baseline {
  const recent = baseline.recent.filter((run) => !runs.some((each) => isSame(each, run)));
  return { ...baseline, accepted: added(baseline.accepted, runs), recent };
}

/**
 * The recent runs that passed take the place of the accepted ones that were made under like
 * circumstances; the others stay recent.
 */
export function withRecentAccepted(baseline: Baseline): Baseline {
  const passed = passedRecently(baseline);
  const kinds = new Set(passed.map(kindOf));
  const others = baseline.accepted.filter((run) => !kinds.has(kindOf(run)));
  return withAccepted({ ...baseline, accepted: others }, passed);
}

export function passedRecently({ recent }: Baseline): BaselineRun[] {
  return recent.filter(({ verdict }) => verdict === "pass");
}

/** How many accepted runs that suffice would give way to how many that don't; empty: none. */
export function lossesByAccepting(baseline: Baseline): { accepted: number; recent: number }[] {
  const accepted = Map.groupBy(baseline.accepted, kindOf);
  return [...Map.groupBy(passedRecently(baseline), kindOf)].flatMap(([kind, runs]) => {
    const counts = { accepted: accepted.get(kind)?.length ?? 0, recent: runs.length };
    return counts.accepted >= RUNS_MIN && counts.recent < RUNS_MIN ? [counts] : [];
  });
}

function kindOf({ circumstances }: BaselineRun): string {
  return JSON.stringify(Object.entries(circumstances).sort());
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
  const groups = Map.groupBy(all, kindOf);
  return all.filter((run) => {
    const group = groups.get(kindOf(run)) ?? [];
    return group.indexOf(run) >= group.length - RUNS_MAX;
  });
}
