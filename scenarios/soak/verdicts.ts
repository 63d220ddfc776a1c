/** From the tally of a soak to findings and figures. */

import { countAbove, quantileOf } from "../../contract/histogram.ts";
import { judgeErrors } from "../../contract/judges/load/errors.ts";
import {
  generatorDoubt,
  lagAllowanceMs,
  machineDoubt,
  refusalDoubt,
} from "../../contract/judges/load/generator.ts";
import type { TimedObjective } from "../../contract/judges/load/latency.ts";
import { judgeLatency } from "../../contract/judges/load/latency.ts";
import { judgeNoLosses } from "../../contract/judges/load/losses.ts";
import type { Backlog } from "../../contract/judges/load/stable.ts";
import { judgeStable } from "../../contract/judges/load/stable.ts";
import type { SteadyPart } from "../../contract/judges/load/throughput.ts";
import { judgeThroughput } from "../../contract/judges/load/throughput.ts";
import { judgeTimeoutsUnderLoad } from "../../contract/judges/load/timeouts.ts";
import { judgeLoadWebhooks } from "../../contract/judges/load/webhooks.ts";
import { judgeSoakWithinPlan } from "../../contract/judges/load/within-plan.ts";
import type { Finding } from "../../contract/verdict.ts";
import { unobserved } from "../../contract/verdict.ts";
import { meanBacklog, stepsBetween, sumOf } from "../load/series.ts";
import type { Soak } from "../load/soak.ts";
import { hasFeed, healthOf, hostLagOf } from "../load/soak.ts";

/** Ours: a warm-up that takes more of the soak than that leaves no steady part. */
const WARM_UP_SHARE_MAX = 0.5;

/** All findings but that on the accounts. */
export function judgeSoak(soak: Soak): readonly Finding[] {
  const { tally, objectives } = soak;
  const lag = hostLagOf(soak);
  const doubt = generatorDoubt(healthOf(soak)) ?? refusalDoubt(refusalsOf(soak));
  const none = "no submission of the soak was accepted";
  const thirds = [
    { name: "submit answer", figures: tally.submit },
    { name: "queue wait", figures: tally.queueWait },
  ].map(({ name, figures: { thirds: each } }) => ({ name, first: each[0], last: each[2] }));
  const findings = [
    judgeNoLosses(tally, none),
    judgeThroughput(steadyPart(soak), objectives.throughputShare, doubt, lag),
    judgeLatency(timedObjectives(soak), doubt, lag, none),
    judgeErrors(
      { ...tally, byKind: tally.errors, stallMs: stallMsOf(soak) },
      objectives.errorShare,
      "nothing was sent",
    ),
    judgeStable(thirds, backlogOf(soak), objectives.driftShare, doubt, lag),
    judgeWebhooks(soak),
    judgeTimeoutsUnderLoad(tally.timeouts, lagOf(soak), withoutTimeouts(soak)),
    ...[judgeSoakWithinPlan(tally.planRefusals)].filter((each) => each !== null),
  ];
  return soak.isWhole ? findings : findings.map((finding) => forBudget(finding, tally.scheduled));
}

function refusalsOf({ tally }: Soak) {
  const refused = [...tally.refused.values()].reduce((sum, count) => sum + count, 0);
  const { scheduled, throttled, heldBack } = tally;
  return { scheduled, throttled, refused, heldBack };
}

/** Objectives that take more jobs than the budget allowed could not be looked at. */
function forBudget(finding: Finding, jobs: number): Finding {
  const isObjective = ["load.throughput", "load.latency", "load.stable"].includes(finding.promise);
  if (!isObjective || finding.verdict !== "inconclusive") return finding;
  return unobserved(finding.promise, `the budget ended the soak after ${jobs} jobs`);
}

/** The longest that this machine let a thread stand still, for all that is known. */
function stallMsOf(soak: Soak): number {
  const lag = hostLagOf(soak);
  if (machineDoubt(lag) !== null) return Number.POSITIVE_INFINITY;
  return Math.max(soak.tally.loopDelay.max, lag.wholeMs);
}

function judgeWebhooks(soak: Soak): Finding {
  const { plan, tally } = soak;
  if (plan.receiver === null) {
    return unobserved("load.webhooks", plan.receiverMissing ?? "there is no webhook receiver");
  }
  const receiverDoubt = receiverDoubtOf(soak);
  return judgeLoadWebhooks({ ...tally.webhooks, receiverDoubt }, "no job of the soak ended");
}

/** Ours: with less lag, no three attempts in a row miss the limit of an answer. */
const ANSWER_LIMITS = 2;

/** Why a webhook may have been lost, or given up, through no fault of the service. */
function receiverDoubtOf(soak: Soak): string | null {
  const { feed, plan, tally } = soak;
  if (plan.receiverReach === "unknown" && tally.webhooks.delivered === 0) {
    return "nothing was delivered: whether the service can reach the receiver is not known";
  }
  if (!hasFeed(soak)) return "the receiver stopped answering while the soak went on";
  if (feed.evicted > 0) {
    return `the receiver pushed ${feed.evicted} deliveries out before they were read`;
  }
  const lag = hostLagOf(soak);
  const lagMs = Math.round(lag.wholeMs);
  const limitMs = plan.times.webhookAnswerMs;
  if (lagMs < ANSWER_LIMITS * limitMs) return null;
  return `this machine let threads wait for ${lagMs} ms; an answer is given up after ${limitMs} ms`;
}

/** How late this machine may have made any one job. */
function lagOf({ tally }: Soak): number {
  const { loopDelay, hostLag } = tally;
  return lagAllowanceMs(Math.max(loopDelay.max, ...hostLag.map(({ max }) => max)));
}

function withoutTimeouts({ mix, tally }: Soak): string {
  if (!mix.parts.some(({ part }) => part === "timeout")) {
    return "the mix of the soak has no job that exceeds its worker's limit";
  }
  const lost = tally.lost.count > 0 ? ", or they were lost" : "";
  return `no job of the soak was seen to reach a limit that its worker tells${lost}`;
}

/**
 * Time until jobs that came at the beginning have ended: before, ends are fewer than arrivals.
 * Later jobs are no measure of it: where a service falls behind, they live longer and longer.
 */
function warmUpMs({ tally, startMs, offerUntilMs }: Soak): number | null {
  const usualMs = quantileOf(tally.livesByThird[0], 0.99) ?? 0;
  const steps = Math.ceil(usualMs / tally.series.stepMs);
  const ms = steps * tally.series.stepMs;
  return ms > (offerUntilMs - startMs) * WARM_UP_SHARE_MAX ? null : ms;
}

/** Ends from the warm-up to the last submission, against as long a window of submissions. */
export function steadyPart(soak: Soak): SteadyPart | null {
  const { tally, startMs, offerUntilMs } = soak;
  const warmMs = warmUpMs(soak);
  if (warmMs === null) return null;
  const { series } = tally;
  // Whole steps only: what is left of the last one counts for neither side.
  const wholeMs = Math.floor((offerUntilMs - startMs) / series.stepMs) * series.stepMs;
  const offered = stepsBetween(series, startMs, startMs + wholeMs - warmMs);
  const completed = stepsBetween(series, startMs + warmMs, startMs + wholeMs);
  return {
    offered: sumOf(series, "offered", offered),
    completed: sumOf(series, "completed", completed),
    seconds: (wholeMs - warmMs) / 1_000,
  };
}

function timedObjectives(soak: Soak): TimedObjective[] {
  const { tally, objectives } = soak;
  const { submitP99Ms, queueWaitP99Ms } = objectives;
  const lagMs = lagAllowanceMs(hostLagOf(soak).wholeMs);
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

/** The first third begins when the service has filled up; a shorter soak has none. */
export function backlogOf(soak: Soak): Backlog {
  const { tally, startMs, offerUntilMs, jobsPerSecond } = soak;
  const thirdMs = (offerUntilMs - startMs) / 3;
  const warmMs = warmUpMs(soak);
  if (warmMs === null || warmMs >= thirdMs) return { first: null, last: null, rate: jobsPerSecond };
  const first = stepsBetween(tally.series, startMs + warmMs, startMs + thirdMs);
  const last = stepsBetween(tally.series, offerUntilMs - thirdMs, offerUntilMs);
  return {
    first: meanBacklog(tally.series, first),
    last: meanBacklog(tally.series, last),
    rate: jobsPerSecond,
  };
}
