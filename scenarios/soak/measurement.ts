/** The figures of a soak for the report. */

import { fingerprint } from "../../contract/fingerprint.ts";
import type { Histogram } from "../../contract/histogram.ts";
import { quantileOf } from "../../contract/histogram.ts";
import type { Json } from "../../contract/verdict.ts";
import type { Soak } from "../load/soak.ts";
import { hasFeed, healthOf, hostLagOf } from "../load/soak.ts";
import { backlogOf, steadyPart } from "./verdicts.ts";

export function measurementOf(soak: Soak): Json {
  const { tally, jobsPerSecond, load, keys, mix } = soak;
  const steady = steadyPart(soak);
  return {
    keys: keys.map(({ name }) => name),
    mix: mix.parts.map(({ part, weight, worker }) => ({ part, weight, worker: worker.id })),
    inputs: fingerprint(mix.parts.map(({ worker }) => worker.input)),
    endsToldBy: hasFeed(soak) ? "webhooks" : "polls",
    jobsPerSecond: round(jobsPerSecond),
    asked: load.jobsPerSecond,
    seconds: load.durationMs / 1_000,
    offered: tally.offered,
    accepted: tally.accepted,
    ended: tally.ended,
    completed: tally.completed,
    endedByState: tally.endedByState,
    inFlight: tally.inFlight,
    lost: tally.lost.count,
    ambiguous: { submissions: tally.ambiguous, becameJobs: tally.resolved },
    throttled: tally.throttled,
    heldBackByBudget: tally.heldBack,
    refused: Object.fromEntries(tally.refused),
    throughput: steady === null ? null : round(steady.completed / steady.seconds),
    requests: tally.requests,
    requestsPerJob: tally.ended === 0 ? null : round(tally.requests / tally.ended),
    answered429: tally.requests429,
    errors: tally.errors,
    verifications: tally.verifications,
    webhooks: { ended: tally.webhooks.ended, delivered: tally.webhooks.delivered },
    submitMs: figuresOf(tally.submit.all),
    queueWaitMs: figuresOf(tally.queueWait.all),
    lifeMs: Object.fromEntries([...tally.lives].map(([part, each]) => [part, figuresOf(each)])),
    backlog: { ...backlogOf(soak) },
    generator: { ...healthOf(soak) },
    hostLag: { ...hostLagOf(soak) },
  };
}

function figuresOf(histogram: Histogram): Json {
  const at = (q: number) => round(quantileOf(histogram, q) ?? 0);
  const { count, sum, max } = histogram;
  if (count === 0) return { count };
  return {
    count,
    mean: round(sum / count),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    max: round(max),
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
