/** Offers a mix of jobs at an arrival rate, follows each to its end, and judges the whole. */

import type { Finding } from "../../contract/verdict.ts";
import { scenarioBesides, scenarioPromises } from "../catalogue.ts";
import type { Context } from "../client/context.ts";
import { DRAIN_MS_MAX, drain } from "../load/drain.ts";
import type { Preparation } from "../load/preparation.ts";
import { newSoak, prepare } from "../load/preparation.ts";
import { runLoad } from "../load/run-load.ts";
import type { Soak } from "../load/soak.ts";
import type { Reporter } from "../world/reporter.ts";
import type { Scenario } from "../world/scenario.ts";
import { judgeAccounts, lookAtAccounts } from "./accounts.ts";
import { loadSeries } from "./load-series.ts";
import { measurementOf } from "./measurement.ts";
import { judgeSoak } from "./verdicts.ts";

/** Ours: reading of workers and accounts before, last looks and judging after. */
const AROUND_MS = 180_000;

export const soakScenario: Scenario = {
  name: "soak",
  promises: scenarioPromises("soak"),
  besides: scenarioBesides("soak"),
  secondsMax: ({ load, profile }) =>
    ((load?.durationMs ?? 0) + DRAIN_MS_MAX[profile] + AROUND_MS) / 1_000,
  /** The requests before and after the load go out with a key that carries it, and no other. */
  callerOf: ({ roles }) => roles.loaded[0] ?? roles.caller,
  async run(context, report) {
    for (const finding of await judge(context, report)) report.finding(finding);
  },
};

async function judge(context: Context, report: Reporter): Promise<readonly Finding[]> {
  const preparation = await prepare(context, context.plan);
  const watchesAccounts = context.asks("load.accounting");
  const { keys } = preparation.rates;
  const before = watchesAccounts ? await lookAtAccounts(context, keys) : null;
  const soak = await run(context, report, preparation);
  const findings = judgeSoak(soak);
  report.measurement("load", measurementOf(soak));
  report.series({ group: "load", value: loadSeries(soak) });
  if (soak.tally.variant !== null) report.variant(soak.tally.variant);
  return [...findings, await judgeAccounts(soak, before)];
}

async function run(context: Context, report: Reporter, preparation: Preparation): Promise<Soak> {
  const soak = newSoak(context, context.plan, preparation);
  void tellProgress(soak, report);
  await runLoad(soak, async (isWhole) => {
    soak.isWhole = isWhole;
    if (!isWhole) context.note("the soak ended early, as the budget has no room for more jobs");
    await drain(soak);
  });
  tellNotes(soak, context);
  return soak;
}

/**
 * Ours: often enough to see that it is alive, and some hundred lines at the most. k6 ends with the
 * last timer, so none may be long.
 */
const PROGRESS = { everyMsMin: 5_000, linesMax: 400, lookMs: 200 };

async function tellProgress(soak: Soak, report: Reporter): Promise<void> {
  const { world } = soak.context;
  const everyMs = Math.max(PROGRESS.everyMsMin, soak.load.durationMs / PROGRESS.linesMax);
  for (let dueMs = soak.startMs; soak.phase !== "over"; await world.delay(PROGRESS.lookMs)) {
    if (world.now() < dueMs) continue;
    dueMs += everyMs;
    const { offered, ended, waiting } = soak.tally;
    const seconds = Math.max(0, Math.round((world.now() - soak.startMs) / 1_000));
    const of = Math.round(soak.load.durationMs / 1_000);
    report.progress(`${seconds} of ${of} s: ${offered} jobs, ${ended} ended, ${waiting} waiting`);
  }
}

function tellNotes({ tally }: Soak, context: Context): void {
  if (tally.requests429 > 0) context.note(`429s met in the soak: ${tally.requests429}`);
  for (const [status, count] of tally.refused) {
    context.note(`${count} submissions of the soak were answered ${status}`);
  }
  if (tally.duplicates > 0) {
    const what = "submissions of the soak were answered with an identifier issued before";
    context.note(`${tally.duplicates} ${what}`);
  }
}
