/** The figures of a soak for the report. */

import { rounded } from "../../numbers/figures.ts";
import type { Histogram } from "../../numbers/histogram.ts";
import { meanOf, quantileOf } from "../../numbers/histogram.ts";
import { mixParts } from "../../run/load-mix.ts";
import type { LoadObjectives, LoadPlan, RunPlan } from "../../run/run-plan.ts";
import type { LoadSeries } from "../../run/series.ts";
import { fingerprint } from "../../text/fingerprint.ts";
import type { Json } from "../../verdict.ts";
import { backlogOf, healthOf, hostLagOf, steadyPart } from "./reading.ts";
import type { Range } from "./series.ts";
import { lengthOf, meanBacklog, quantileIn, sumOf, worstOf } from "./series.ts";
import type { LoadSeen } from "./tally.ts";

export function measurementOf(seen: LoadSeen, load: LoadPlan, plan: RunPlan): Json {
  const { tally, jobsPerSecond, hasFeed } = seen;
  const { parts } = mixParts(plan);
  const steady = steadyPart(seen);
  return {
    keys: plan.roles.loaded,
    mix: parts.map(({ part, weight, worker }) => ({ part, weight, worker: worker.id })),
    inputs: fingerprint(parts.map(({ worker }) => worker.input)),
    endsToldBy: hasFeed ? "webhooks" : "polls",
    jobsPerSecond: rounded(jobsPerSecond, 3),
    asked: load.jobsPerSecond,
    seconds: load.durationMs / 1_000,
    offered: tally.offered,
    accepted: tally.accepted,
    ended: tally.ended,
    completed: tally.completed,
    endedByState: Object.fromEntries(inOrder(tally.endedByState)),
    inFlight: tally.inFlight,
    lost: tally.lost.count,
    ambiguous: { submissions: tally.ambiguous, becameJobs: tally.resolved },
    throttled: tally.throttled,
    heldBackByBudget: tally.heldBack,
    refused: tally.refused,
    throughput: steady === null ? null : rounded(steady.completed / steady.seconds, 3),
    requests: tally.requests,
    requestsPerJob: tally.ended === 0 ? null : rounded(tally.requests / tally.ended, 3),
    answered429: tally.requests429,
    errors: tally.errors,
    verifications: tally.verifications,
    webhooks: { ended: tally.webhooks.ended, delivered: tally.webhooks.delivered },
    submitMs: figuresOf(tally.submit.all),
    queueWaitMs: figuresOf(tally.queueWait.all),
    lifeMs: Object.fromEntries(inOrder(tally.lives).map(([part, each]) => [part, figuresOf(each)])),
    backlog: { ...backlogOf(seen) },
    generator: { ...healthOf(tally) },
    hostLag: { ...hostLagOf(tally) },
  };
}

/** By name: in whatever order they came, and however many generators saw them. */
function inOrder<Value>(named: { readonly [name: string]: Value }): [string, Value][] {
  return Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1));
}

function figuresOf(histogram: Histogram): Json {
  const at = (q: number) => rounded(quantileOf(histogram, q) ?? 0, 3);
  const { count, max } = histogram;
  if (count === 0) return { count };
  return {
    count,
    mean: rounded(meanOf(histogram), 3),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    max: rounded(max, 3),
  };
}

/** Ours: a plot is no finer. */
const POINTS_MAX = 300;
/** Ours: a hundredth of a millisecond, or of a job a second, is finer than anything plotted. */
const DIGITS = 2;

export function loadSeries(load: LoadSeen, objectives: LoadObjectives): LoadSeries {
  const { throughputShare, submitP99Ms, queueWaitP99Ms } = objectives;
  const { series, startMs, offerUntilMs, jobsPerSecond } = load;
  const length = lengthOf(series);
  const width = Math.max(1, Math.ceil(length / POINTS_MAX));
  const seconds = (width * series.stepMs) / 1_000;
  const points = Array.from(
    { length: Math.ceil(length / width) },
    (_, at): Range => [at * width, Math.min(length, (at + 1) * width)],
  );
  const rate = (field: "offered" | "completed" | "errors") =>
    points.map((point) => rounded(sumOf(series, field, point) / seconds, DIGITS));
  const each = (of: (point: Range) => number | null) =>
    points.map((point) => {
      const value = of(point);
      return value === null ? null : rounded(value, DIGITS);
    });
  return {
    stepSeconds: rounded(seconds, DIGITS),
    offerSeconds: rounded((offerUntilMs - startMs) / 1_000, DIGITS),
    jobsPerSecond: rounded(jobsPerSecond, DIGITS),
    objectives: { throughputShare, submitP99Ms, queueWaitP99Ms },
    offered: rate("offered"),
    completed: rate("completed"),
    errors: rate("errors"),
    backlog: each((point) => meanBacklog(series, point)),
    submitP50Ms: each((point) => quantileIn(series, "submit", point, 0.5)),
    submitP99Ms: each((point) => quantileIn(series, "submit", point, 0.99)),
    queueWaitP50Ms: each((point) => quantileIn(series, "queueWait", point, 0.5)),
    queueWaitP99Ms: each((point) => quantileIn(series, "queueWait", point, 0.99)),
    sendLagP99Ms: each((point) => quantileIn(series, "sendLag", point, 0.99)),
    loopDelayMaxMs: each((point) => worstOf(series, "loopDelay", point)),
    hostLagMaxMs: each((point) => worstOf(series, "hostLag", point)),
  };
}
