/** Judges a load by its tally and series, however many generators carried it; and its accounts. */

import { countAbove, quantileOf } from "../histogram.ts";
import { judgeAccountReadable } from "../judges/account.ts";
import { judgeListLength } from "../judges/job-list.ts";
import { accountsClaim } from "../judges/load/accounts.ts";
import type { DeliveryContext } from "../judges/load/deliveries.ts";
import { judgeLoadDeliveries } from "../judges/load/deliveries.ts";
import { errorsClaim } from "../judges/load/errors.ts";
import {
  generatorDoubt,
  lagAllowanceMs,
  machineDoubt,
  refusalDoubt,
} from "../judges/load/generator.ts";
import type { TimedObjective } from "../judges/load/latency.ts";
import { latencyClaim } from "../judges/load/latency.ts";
import { measurementOf } from "../judges/load/measurement.ts";
import { noLossesClaim } from "../judges/load/no-losses.ts";
import { mergeOffences, noOffences } from "../judges/load/offences.ts";
import { loadSeries } from "../judges/load/plots.ts";
import { backlogOf, healthOf, hostLagOf, steadyPart } from "../judges/load/reading.ts";
import { stableClaim } from "../judges/load/stable.ts";
import type { LoadSeen, LoadTally } from "../judges/load/tally.ts";
import { throughputClaim } from "../judges/load/throughput.ts";
import { loadWebhooksClaim } from "../judges/load/webhooks.ts";
import type { PlanRefusals } from "../judges/load/within-plan.ts";
import { soakWithinPlanClaim } from "../judges/load/within-plan.ts";
import { findingsInPassing, mergePassing, passingOf } from "../judges/passing.ts";
import { timeoutsInPassing, underLoadClaim } from "../judges/timeout/under-load.ts";
import { mixParts } from "../load-mix.ts";
import { isLoopback } from "../loopback.ts";
import { valuesOf } from "../observation.ts";
import type { LoadObjectives, RunPlan } from "../run-plan.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, unobserved } from "../verdict.ts";
import type { Claim } from "./claim.ts";
import { countedClaim } from "./claim.ts";
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
  const again = issuedTwice(tally);
  const passing = [timeoutsInPassing(tally.timeouts, lagOf(tally)), passingOf(again)].reduce(
    mergePassing,
    tally.passing,
  );
  return {
    findings: whoseIsWhose(again, [
      ...judgeLoad(seen, load.objectives, plan),
      ...(accounts === undefined ? [] : [decide(accountsClaim(accounts, tally, plan))]),
      ...judgeListLength(valuesOf(observations, "soak.job-lists").flat()),
      ...judgeLoadDeliveries(tally.deliveries, deliveryContext(tally, plan)),
      ...findingsInPassing(passing, "under load"),
      ...findingsInPassing(passingOf([reads]), "after the load"),
    ]),
    measurements: [{ group: "load", value: measurementOf(seen, load, plan) }],
    series: [{ group: "load", value: loadSeries(seen, load.objectives) }],
    notes: notesOf(seen),
  };
};

/** All findings but that on the accounts. */
function judgeLoad(seen: LoadSeen, objectives: LoadObjectives, plan: RunPlan): readonly Finding[] {
  const { tally } = seen;
  const lag = hostLagOf(tally);
  const doubt = generatorDoubt(healthOf(tally)) ?? refusalDoubt(refusalsOf(tally));
  const none = "no submission of the soak was accepted";
  const thirds = [
    { name: "submit answer", figures: tally.submit },
    { name: "queue wait", figures: tally.queueWait },
  ].map(({ name, figures: { thirds: each } }) => ({ name, first: each[0], last: each[2] }));
  const claims = [
    noLossesClaim(tally, none),
    throughputClaim(steadyPart(seen), objectives.throughputShare, doubt, lag),
    latencyClaim(timedObjectives(tally, objectives), doubt, lag, none),
    errorsClaim(
      { ...tally, byKind: tally.errors, stallMs: stallMsOf(tally) },
      objectives.errorShare,
      "nothing was sent",
    ),
    stableClaim(thirds, backlogOf(seen), objectives.driftShare, doubt, lag),
    webhooksClaim(seen, plan),
    underLoadClaim(tally.timeouts, lagOf(tally), withoutTimeouts(tally, plan)),
    ...[soakWithinPlanClaim(refusalsIn(tally, plan))].filter((each) => each !== null),
  ];
  const findings = claims.map(decide);
  return seen.isWhole ? findings : findings.map((finding) => forBudget(finding, tally.scheduled));
}

/** Ours: a shard that is later than that catches up with more than its share of a key's limit. */
const LATE_SHARD_MS = 250;

/** A shard judges a 429 by its own requests: one that is late may have caused another's. */
function refusalsIn({ planRefusals, lag, loopDelay }: LoadTally, { load }: RunPlan): PlanRefusals {
  const isShared = (load?.shards ?? 1) > 1;
  if (!isShared || Math.max(lag.max, loopDelay.max) <= LATE_SHARD_MS) return planRefusals;
  const { requests, unlawful, doubtful } = planRefusals;
  return { requests, unlawful: noOffences(), doubtful: mergeOffences(unlawful, doubtful) };
}

/** What one shard sees twice, it tells by itself; this is what two of them were issued. */
function issuedTwice({ issued }: LoadTally): readonly Finding[] {
  const again = Object.entries(issued.again);
  return again.map(([job, times]) => {
    const at = times.map((ms) => new Date(ms).toISOString()).join(" and ");
    const what = `the identifier "${job}" was issued to two shards of the load, to submissions at`;
    const evidence = { samples: 1, faults: 1, job };
    return broken("submit.unique-id", `${what} ${at}; expected one a job`, { evidence });
  });
}

/**
 * Two shards that were issued one identifier followed one job twice, and another one not at all:
 * what that breaks is no other promise's fault.
 */
function whoseIsWhose(again: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const [first] = again;
  if (first === undefined) return findings;
  return findings.flatMap((finding) => {
    const { promise, verdict, evidence, inPassing = false } = finding;
    if (verdict !== "broken" || !OF_SINGLE_JOBS.test(promise)) return [finding];
    return inPassing ? [] : [inconclusive(promise, first.summary, { evidence })];
  });
}

const OF_SINGLE_JOBS = /^(job|timeout|webhook)\.|^load\.(no-losses|webhooks|accounting)$/;

function notesOf({ tally, jobsPerSecond }: LoadSeen): readonly string[] {
  const { requests429, refused, scheduled, droppedLate: late } = tally;
  const sentShare = scheduled === 0 ? 1 : (scheduled - late) / scheduled;
  const [offered, asked] = [jobsPerSecond * sentShare, jobsPerSecond].map((rate) =>
    rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10,
  );
  return [
    ...(late > 0 ? [`this machine offers about ${offered} jobs/s; asked ${asked}`] : []),
    ...(requests429 > 0 ? [`429s met in the soak: ${requests429}`] : []),
    ...Object.entries(refused).map(
      ([status, count]) => `${count} submissions of the soak were answered ${status}`,
    ),
  ];
}

function refusalsOf({ refused: byStatus, scheduled, throttled, heldBack }: LoadTally) {
  const refused = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  return { scheduled, throttled, refused, heldBack };
}

/** Objectives that take more jobs than the budget allowed could not be looked at. */
function forBudget(finding: Finding, jobs: number): Finding {
  const isObjective = ["load.throughput", "load.latency", "load.stable"].includes(finding.promise);
  if (!isObjective || finding.verdict !== "inconclusive") return finding;
  return unobserved(finding.promise, `the budget ended the soak after ${jobs} jobs`);
}

/** The longest that this machine let a thread stand still, for all that is known. */
function stallMsOf(tally: LoadTally): number {
  const lag = hostLagOf(tally);
  if (machineDoubt(lag) !== null) return Number.POSITIVE_INFINITY;
  return Math.max(tally.loopDelay.max, lag.wholeMs);
}

function webhooksClaim(seen: LoadSeen, plan: RunPlan): Claim {
  if (plan.receiver === null) {
    const without = plan.receiverMissing ?? "there is no webhook receiver";
    return countedClaim({ promise: "load.webhooks", of: "jobs", without });
  }
  const receiverDoubt = receiverDoubtOf(seen, plan);
  return loadWebhooksClaim({ ...seen.tally.webhooks, receiverDoubt }, "no job of the soak ended");
}

/** Ours: an answer passes several threads; each that late, and the answer limit is over. */
const MISSED_SHARE = 0.25;

function deliveryContext(tally: LoadTally, { baseUrl, receiver, times }: RunPlan): DeliveryContext {
  return {
    isLocal: isLoopback(baseUrl) && receiver !== null && isLoopback(receiver.publicUrl),
    isLate: hostLagOf(tally).wholeMs >= MISSED_SHARE * times.webhookAnswerMs,
  };
}

/** Ours: with less lag, no three attempts in a row miss the limit of an answer. */
const ANSWER_LIMITS = 2;

/** Why a webhook may have been lost, or given up, through no fault of the service. */
function receiverDoubtOf({ tally, hasFeed, evicted }: LoadSeen, plan: RunPlan): string | null {
  if (plan.receiverReach === "unknown" && tally.webhooks.delivered === 0) {
    return "nothing was delivered: whether the service can reach the receiver is not known";
  }
  if (!hasFeed) return "the receiver stopped answering while the soak went on";
  if (evicted > 0) {
    return `the receiver pushed ${evicted} deliveries out before they were read`;
  }
  const lag = hostLagOf(tally);
  const lagMs = Math.round(lag.wholeMs);
  const limitMs = plan.times.webhookAnswerMs;
  if (lagMs < ANSWER_LIMITS * limitMs) return null;
  return `this machine let threads wait for ${lagMs} ms; an answer is given up after ${limitMs} ms`;
}

/** How late this machine may have made any one job. */
function lagOf({ loopDelay, hostLag }: LoadTally): number {
  return lagAllowanceMs(Math.max(loopDelay.max, ...hostLag.map(({ max }) => max)));
}

function withoutTimeouts(tally: LoadTally, plan: RunPlan): string {
  if (!mixParts(plan).parts.some(({ part }) => part === "timeout")) {
    return "the mix of the soak has no job that exceeds its worker's limit";
  }
  const lost = tally.lost.count > 0 ? ", or they were lost" : "";
  return `no job of the soak was seen to reach a limit that its worker tells${lost}`;
}

function timedObjectives(
  tally: LoadTally,
  { submitP99Ms, queueWaitP99Ms }: LoadObjectives,
): TimedObjective[] {
  const lagMs = lagAllowanceMs(hostLagOf(tally).wholeMs);
  return [
    { name: "submit answers", objectiveMs: submitP99Ms, figures: tally.submit },
    { name: "queue waits", objectiveMs: queueWaitP99Ms, figures: tally.queueWait },
  ].flatMap(({ name, objectiveMs, figures: { all, over } }) =>
    objectiveMs === null
      ? []
      : [
          {
            name,
            objectiveMs,
            samples: all.count,
            p99Ms: quantileOf(all, 0.99),
            over,
            beyondLag: countAbove(all, objectiveMs + lagMs),
          },
        ],
  );
}
