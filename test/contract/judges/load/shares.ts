/** Loads drawn by a seed, in the smallest parts that a generator can carry: one job each. */

import type { LoadSeen } from "../../../../contract/judges/load/tally.ts";
import { addViolation } from "../../../../contract/judges/load/violations.ts";
import { mergePassing, passingOf } from "../../../../contract/judges/passing.ts";
import { newHistogram, recordValue } from "../../../../contract/numbers/histogram.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { LoadPart, RunPlan } from "../../../../contract/run/run-plan.ts";
import { broken, kept } from "../../../../contract/verdict.ts";
import { loadSeen } from "../../../../scenarios/load/load-seen.ts";
import {
  backlogInSeries,
  countInSeries,
  lagInSeries,
  timeInSeries,
} from "../../../../scenarios/load/series.ts";
import type { Tally } from "../../../../scenarios/load/tally.ts";
import { newTally } from "../../../../scenarios/load/tally.ts";
import { between, exponential, stream } from "../../../../simulation/chance.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { answer } from "../answers.ts";

const START_MS = Date.UTC(2026, 0, 1, 12, 0, 0, 500);
const PART_NAMES: readonly LoadPart[] = ["success", "slow", "failure"];

export const LOAD_PLAN: RunPlan = {
  ...BASE_PLAN,
  promises: [
    "load.no-losses",
    "load.throughput",
    "load.latency",
    "load.errors",
    "load.stable",
    "load.webhooks",
    "load.accounting",
    "rate.within-plan",
    "job.shape",
  ],
  keys: [
    {
      ...{ name: "a", env: "A", state: "active", plan: "pro" },
      sustained: 50,
      burst: 100,
      account: "one",
    },
  ],
  roles: { ...BASE_PLAN.roles, loaded: ["a"] },
  workers: { success: { id: "echo", input: {} } },
  load: {
    jobsPerSecond: 4,
    durationMs: 0,
    keys: null,
    beyondPlan: false,
    mix: {},
    objectives: {
      throughputShare: 0.9,
      submitP99Ms: 100,
      queueWaitP99Ms: 300,
      errorShare: 0.01,
      driftShare: 0.5,
    },
  },
};

export interface SmallJob {
  part: LoadPart;
  sentAtMs: number;
  submitMs: number;
  waitMs: number;
  endMs: number;
  cost: number;
  fate: "completed" | "failed" | "lost" | "refused" | "without webhook";
}

export interface SmallLoad {
  durationMs: number;
  jobs: readonly SmallJob[];
}

/** `trouble`: share of jobs that come to grief; `seconds`: how long it goes on. */
export function drawLoad(seed: number, trouble: number, seconds: number): SmallLoad {
  const draw = stream(seed, "load");
  const fates = ["failed", "lost", "refused", "without webhook"] as const;
  const jobs = Array.from({ length: seconds * 4 }, (_, n): SmallJob => {
    const sentAtMs = START_MS + n * 250;
    const waitMs = exponential(draw, 80);
    return {
      part: PART_NAMES[Math.floor(draw() * PART_NAMES.length)] ?? "success",
      sentAtMs,
      submitMs: exponential(draw, 9),
      waitMs,
      endMs: Math.round(sentAtMs + waitMs + between(draw, 50, 900)),
      cost: Math.round(draw() * 1e4) / 1e4,
      fate: draw() < trouble ? (fates[Math.floor(draw() * fates.length)] ?? "lost") : "completed",
    };
  });
  return { durationMs: seconds * 1_000, jobs };
}

/** What a generator has seen that carries those jobs of the load: `share` of it. */
export function seenOf(load: SmallLoad, jobs: readonly SmallJob[], share: number): LoadSeen {
  const tally = newTally(START_MS);
  for (const job of jobs) count(tally, job, load.durationMs);
  const offerUntilMs = START_MS + load.durationMs;
  for (let ms = START_MS; ms <= offerUntilMs; ms += 100) {
    const waiting = jobs.filter(({ sentAtMs, endMs }) => sentAtMs < ms && ms <= endMs).length;
    backlogInSeries(tally.series, ms, waiting);
  }
  return loadSeen({
    plan: LOAD_PLAN,
    startMs: START_MS,
    offerUntilMs,
    jobsPerSecond: 4 * share,
    isWhole: true,
    whyEnded: null,
    feed: { failures: 0, evicted: 0 },
    details: new Map(),
    tally,
  });
}

function count(tally: Tally, job: SmallJob, durationMs: number): void {
  const { part, sentAtMs, submitMs, waitMs, endMs, fate } = job;
  const third = (["0", "1", "2"] as const)[Math.floor(((sentAtMs - START_MS) * 3) / durationMs)];
  const exchange = requestOf(job);
  const lateMs = submitMs / 10;
  tally.scheduled += 1;
  tally.requests += 2;
  recordValue(tally.lag, lateMs);
  recordValue(tally.loopDelay, lateMs / 2);
  timeInSeries(tally.series, "sendLag", sentAtMs, lateMs);
  lagInSeries(tally.series, "loopDelay", sentAtMs, lateMs / 2);
  if (fate === "refused") {
    tally.throttled += 1;
    tally.requests429 += 1;
    tally.planRefusals.requests += 1;
    addViolation(tally.planRefusals.unlawful, { what: "got 429", exchanges: [exchange] });
    return;
  }
  tally.offered += 1;
  tally.accepted += 1;
  countInSeries(tally.series, "offered", sentAtMs);
  for (const histogram of [tally.submit.all, tally.submit.thirds[Number(third) as 0 | 1 | 2]]) {
    recordValue(histogram, submitMs);
  }
  timeInSeries(tally.series, "submit", sentAtMs, submitMs);
  if (submitMs > 100) addViolation(tally.submit.over, { what: "slow", exchanges: [exchange] });
  if (fate === "lost") {
    addViolation(tally.lost, { what: `job of ${sentAtMs} is gone`, exchanges: [exchange] });
    return;
  }
  tally.ended += 1;
  tally.endedByState[fate === "failed" ? "failed" : "completed"] =
    (tally.endedByState[fate === "failed" ? "failed" : "completed"] ?? 0) + 1;
  countInSeries(tally.series, "ended", endMs);
  if (fate !== "failed") {
    tally.completed += 1;
    countInSeries(tally.series, "completed", endMs);
  }
  const lives = tally.lives[part] ?? newHistogram();
  tally.lives[part] = lives;
  recordValue(lives, endMs - sentAtMs);
  recordValue(tally.livesByThird[Number(third) as 0 | 1 | 2], endMs - sentAtMs);
  for (const one of [tally.queueWait.all, tally.queueWait.thirds[Number(third) as 0 | 1 | 2]]) {
    recordValue(one, waitMs);
  }
  if (waitMs > 300) addViolation(tally.queueWait.over, { what: "long", exchanges: [exchange] });
  timeInSeries(tally.series, "queueWait", sentAtMs, waitMs);
  tally.webhooks.ended += 1;
  if (fate === "without webhook") {
    addViolation(tally.webhooks.missing, { what: `none for ${sentAtMs}`, exchanges: [exchange] });
  } else tally.webhooks.delivered += 1;
  const costs = tally.costs.one ?? { sumBillionths: 0, dearest: 0, jobs: 0, unknown: 0 };
  tally.costs.one = costs;
  costs.jobs += 1;
  costs.sumBillionths += Math.round(job.cost * 1e9);
  costs.dearest = Math.max(costs.dearest, job.cost);
  const shape = "job.shape";
  const evidence = { samples: 1 };
  const isOdd = sentAtMs % 1_750 === 0;
  const shown = isOdd ? broken(shape, "odd", { evidence, exchanges: [exchange] }) : null;
  const shapes = passingOf([shown ?? kept(shape, "as documented", { evidence })]);
  tally.passing = mergePassing(tally.passing, shapes);
  tally.variant = "A";
}

function requestOf({ sentAtMs, submitMs }: SmallJob): Exchange {
  const receivedAtMs = sentAtMs + Math.round(submitMs);
  return answer(202, { method: "POST", route: "submit", sentAtMs, receivedAtMs });
}
