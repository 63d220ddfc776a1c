/** Judges a load by its tally and series, however many generators carried it; and its accounts. */

import { judgeAccountReadable } from "../judges/account.ts";
import type { FileAfter } from "../judges/job/files-after.ts";
import { filesAfterClaim, filesOwnClaim, judgeUnfiled } from "../judges/job/files-after.ts";
import { judgeListLength } from "../judges/job/lists/list-limit.ts";
import { listAfterClaim } from "../judges/job/lists/list-own-meanwhile.ts";
import { judgeListShrunk } from "../judges/job/lists/list-shrunk.ts";
import { accountsClaim, hadCredits } from "../judges/load/accounting/accounts.ts";
import type { AccountsSeen } from "../judges/load/accounting/readings.ts";
import { deliveryContext, judgeLoadDeliveries } from "../judges/load/deliveries.ts";
import { errorsClaim } from "../judges/load/errors.ts";
import { generatorDoubt, refusalDoubt } from "../judges/load/generator.ts";
import { issuedTwice, whoseIsWhose } from "../judges/load/issued-twice.ts";
import { latencyClaim, timedObjectives } from "../judges/load/latency.ts";
import { loadSeries, measurementOf } from "../judges/load/measurement.ts";
import { noLossesClaim } from "../judges/load/no-losses.ts";
import {
  backlogOf,
  healthOf,
  hostLagOf,
  lagOf,
  refusalsIn,
  refusalsOf,
  stallMsOf,
  steadyOf,
  thirdsOf,
  tooFewForThirds,
} from "../judges/load/reading.ts";
import { refusedThroughout } from "../judges/load/refused-amid.ts";
import { stableClaim } from "../judges/load/stable.ts";
import type { LoadSeen, LoadTally } from "../judges/load/tally.ts";
import { throughputClaim } from "../judges/load/throughput.ts";
import { webhooksClaim } from "../judges/load/webhooks.ts";
import { pacedWithinPlanClaim } from "../judges/load/within-plan.ts";
import { findingsInPassing, mergePassing, passingOf } from "../judges/passing.ts";
import { judgeRejectedRunsNothing } from "../judges/rejected-runs-nothing.ts";
import { sentTwiceNote } from "../judges/sent-twice.ts";
import type { ListAfter } from "../judges/steps.ts";
import { timeoutsInPassing, underLoadClaim } from "../judges/timeout/under-load.ts";
import { BUDGET_ENDED } from "../limits/budget.ts";
import { percent, rounded } from "../numbers/figures.ts";
import { countAbove, newHistogram } from "../numbers/histogram.ts";
import { mixParts } from "../run/load-mix.ts";
import { valuesOf } from "../run/observation.ts";
import type { LoadObjectives, RunPlan } from "../run/run-plan.ts";
import type { Finding } from "../verdict.ts";
import { unobserved } from "../verdict.ts";
import { judgeAnswersAfter, judgeOverload } from "./answers-after.ts";
import { decide } from "./decide.ts";
import type { ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";

export const judgeSoak: ScenarioJudge = (observations, plan) => {
  const [seen] = valuesOf(observations, "soak.load");
  const [accounts] = valuesOf(observations, "soak.accounts");
  const { load } = plan;
  if (seen === undefined || load === null) return NO_JUDGEMENT;
  const { tally } = seen;
  const reads = judgeAccountReadable(valuesOf(observations, "soak.account-reads").flat());
  const listed = valuesOf(observations, "soak.job-lists").flat();
  const lists = [...listed.flatMap(judgeListAfter), ...judgeListsInTurn(listed)];
  const filed = valuesOf(observations, "soak.files");
  const files = filed.flatMap(judgeFiles);
  const unfiled = judgeUnfiled(valuesOf(observations, "soak.unfiled").flat(), filed.flat());
  const answers = valuesOf(observations, "soak.answers").flatMap(judgeAnswersAfter);
  const overloads = valuesOf(observations, "soak.press").flatMap(judgeOverload);
  const traces = valuesOf(observations, "soak.traces").map((each) =>
    judgeRejectedRunsNothing({ ...each, without: "" }),
  );
  const again = issuedTwice(tally);
  const passing = [timeoutsInPassing(tally.timeouts, lagOf(tally)), passingOf(again)].reduce(
    mergePassing,
    tally.passing,
  );
  return {
    findings: whoseIsWhose(passing, tally, [
      ...judgeLoad(seen, load.objectives, { plan, accounts }),
      ...(accounts === undefined ? [] : [decide(accountsClaim(accounts, tally, plan))]),
      ...judgeLoadDeliveries(tally.deliveries, deliveryContext(seen, plan)),
      ...findingsInPassing(passing, "under load"),
      ...findingsInPassing(passingOf(overloads), "under and after the load"),
      ...findingsInPassing(
        passingOf([...answers, ...lists, ...files, ...unfiled, reads]),
        "under and after the load",
      ),
      ...findingsInPassing(passingOf(traces), "after the load"),
    ]),
    measurements: [{ group: "load", value: measurementOf(seen, load, plan) }],
    series: [{ group: "load", value: loadSeries(seen, load.objectives) }],
    notes: notesOf(seen),
  };
};

/** The length in passing, too: one list shows that there is a limit to no more than a hundred. */
function judgeListAfter(seen: ListAfter): readonly Finding[] {
  return [decide(listAfterClaim(seen)), ...judgeListLength([seen.list])];
}

/** Each key's by its own jobs. */
function judgeListsInTurn(seen: readonly ListAfter[]): readonly Finding[] {
  return [...new Set(seen.map(({ key }) => key))].flatMap((name) => {
    const ofKey = seen.filter(({ key }) => key === name);
    const own = ofKey.flatMap((each) => each.own);
    return judgeListShrunk(
      ofKey.map(({ list }) => list),
      own,
    );
  });
}

/** What files hold is looked at in passing: they show no more than that another's is among them. */
function judgeFiles(files: readonly FileAfter[]): readonly Finding[] {
  const own = decide(filesOwnClaim(files));
  return [decide(filesAfterClaim(files)), ...(own.verdict === "broken" ? [own] : [])];
}

/** All findings but that on the accounts. */
function judgeLoad(
  seen: LoadSeen,
  objectives: LoadObjectives,
  { plan, accounts = {} }: { plan: RunPlan; accounts: AccountsSeen | undefined },
): readonly Finding[] {
  const { tally } = seen;
  // Evidence of earlier versions tells of none.
  const refused = refusedThroughout(tally.refusedAmid ?? {}, hadCredits(accounts, tally, plan));
  const own = {
    doubt: generatorDoubt(healthOf(tally)) ?? refusalDoubt(refusalsOf(tally)),
    lag: hostLagOf(tally),
  };
  const none = "no submission of the soak was accepted";
  const claims = [
    noLossesClaim(tally, none),
    throughputClaim(steadyOf(seen), objectives.throughputShare, own),
    latencyClaim(timedObjectives(tally, objectives), own, none),
    errorsClaim(tally, stallMsOf(tally), objectives.errorShare, "nothing was sent", refused),
    stableClaim(thirdsOf(seen), backlogOf(seen), objectives.driftShare, own, tooFewForThirds(seen)),
    webhooksClaim(seen, plan),
    underLoadClaim(
      tally.timeouts,
      lagOf(tally),
      withoutTimeouts(tally, plan),
      limitsNotTried(seen),
    ),
    ...[pacedWithinPlanClaim(refusalsIn(tally, plan), "the soak")].filter((each) => each !== null),
  ];
  const findings = claims.map(decide);
  return seen.isWhole ? findings : findings.map((finding) => endedEarly(finding, seen));
}

function notesOf({ tally, jobsPerSecond }: LoadSeen): readonly string[] {
  const { idleCloses } = tally;
  const { unlawful, doubtful } = tally.planRefusals;
  const { requests429, refused, scheduled, droppedLate: late, ended, completed } = tally;
  const sentShare = scheduled === 0 ? 1 : (scheduled - late) / scheduled;
  const [offered, asked] = [jobsPerSecond * sentShare, jobsPerSecond].map((rate) =>
    rate >= 10 ? Math.round(rate) : rounded(rate, 1),
  );
  return [
    ...(late > 0 ? [`this machine offers about ${offered} jobs/s; asked ${asked}`] : []),
    ...(requests429 > 0 ? [`429s met in the soak: ${requests429}`] : []),
    ...sentTwiceNote("the soak", unlawful.count + doubtful.count, idleCloses),
    ...Object.entries(refused).map(
      ([status, count]) => `${count} submissions of the soak were answered ${status}`,
    ),
    ...(ended > completed ? [endsText(ended - completed, ended)] : []),
  ];
}

/** No promise says that jobs succeed; an objective leaves room for some that do not. Spec §3.1. */
function endsText(otherwise: number, ended: number): string {
  const share = percent(otherwise / ended, 1);
  return `${otherwise} of ${ended} jobs of the soak (${share}) did not end as their part's should`;
}

/** Objectives that take more jobs than could be submitted could not be looked at. */
function endedEarly(finding: Finding, { tally, whyEnded = BUDGET_ENDED }: LoadSeen): Finding {
  const isObjective = ["load.throughput", "load.latency", "load.stable"].includes(finding.promise);
  if (!isObjective || finding.verdict !== "inconclusive") return finding;
  const reason = `the soak ended after ${tally.scheduled} jobs, as ${whyEnded}`;
  return unobserved(finding.promise, reason);
}

/** A load that is over before a job reaches its limit shows none that is reached meanwhile. */
function limitsNotTried({ tally, startMs, offerUntilMs }: LoadSeen): readonly string[] {
  const lives = tally.lives.timeout ?? newHistogram();
  const isOver = lives.count > 0 && countAbove(lives, offerUntilMs - startMs) === lives.count;
  return isOver ? ["limits that are reached while more jobs are submitted"] : [];
}

function withoutTimeouts(tally: LoadTally, plan: RunPlan): string {
  if (!mixParts(plan).parts.some(({ part }) => part === "timeout")) {
    return "the mix of the soak has no job that exceeds its worker's limit";
  }
  const lost = tally.lost.count > 0 ? ", or they were lost" : "";
  return `no job of the soak reached its worker's run limit${lost}`;
}
