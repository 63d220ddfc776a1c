/** The figures of one step of jobs. What came before its first third was over is left out. */

import { healthOf, hostLagOf } from "../../contract/judges/load/reading.ts";
import type { Histogram } from "../../contract/numbers/histogram.ts";
import { mergeHistograms, quantileOf } from "../../contract/numbers/histogram.ts";
import type { StepMeasurement } from "../../contract/run/capacity-step.ts";
import { quantilesOf } from "../../contract/run/capacity-step.ts";
import { stepsOf } from "../load/series.ts";
import type { Soak } from "../load/soak.ts";
import { pollUntil } from "../world/poll-until.ts";
import { openJobs } from "./at-rest.ts";

/** Submissions, those of them that were refused or held back, and the 429 responses, until then. */
type Counts = Required<StepMeasurement["measured"]>;

const POLL_MS = 20;
const NOTHING: Counts = { sent: 0, refused429: 0, answered429: 0 };

/** Resolves when the warm-up is over, with what was counted in it; or when the step is stopped. */
export async function startOfMeasuring(soak: Soak): Promise<Counts> {
  const atMs = soak.startMs + (soak.offerUntilMs - soak.startMs) / 3;
  const { world } = soak.context;
  const isStopped = () => soak.stopped !== null;
  const waitMs = () => POLL_MS;
  await pollUntil(world, { ask: isStopped, isEnough: isStopped, untilMs: atMs, waitMs });
  return soak.stopped === null ? countsOf(soak) : NOTHING;
}

function countsOf({ tally }: Soak): Counts {
  const { scheduled, dropped, throttled, requests429 } = tally;
  return { sent: scheduled - dropped, refused429: throttled, answered429: requests429 };
}

function since(before: Counts, all: Counts): Counts {
  return {
    sent: all.sent - before.sent,
    refused429: all.refused429 - before.refused429,
    answered429: all.answered429 - before.answered429,
  };
}

export function measurementOfJobs(soak: Soak, before: Counts, endedMs: number): StepMeasurement {
  const { tally, stopped, startMs, offerUntilMs } = soak;
  const isWhole = stopped === null;
  // A step that was stopped early has seen enough; all of it counts.
  const figures = (thirds: readonly Histogram[]) =>
    quantilesOf(mergeHistograms(isWhole ? thirds.slice(1) : thirds));
  const all = countsOf(soak);
  const kinds = errorKinds(soak);
  const { sums, stepMs } = stepsOf(tally.series);
  return {
    startedAtMs: startMs,
    seconds: (Math.min(endedMs, offerUntilMs) - startMs) / 1_000,
    warmUpSeconds: isWhole ? (offerUntilMs - startMs) / 3_000 : 0,
    measured: isWhole ? since(before, all) : all,
    sent: all.sent,
    errors: kinds.reduce((sum, [, count]) => sum + count, 0),
    serviceErrors: sumOf(tally.refused) + (tally.endedByState.failed ?? 0),
    errorKinds: kinds.map(([kind, count]) => `${count} ${kind}`),
    latencyMs: figures(tally.livesByThird),
    submitMs: figures(tally.submit.thirds),
    queueWaitMs: figures(tally.queueWait.thirds),
    runMs: figures(tally.runsByThird),
    answeredPerSecond: null,
    stretchSeconds: stepMs / 1_000,
    series: sums.offered.map((offered, at) => ({
      offered,
      accepted: sums.accepted[at] ?? 0,
      ended: sums.ended[at] ?? 0,
      completed: sums.completed[at] ?? 0,
    })),
    generator: healthOf(tally),
    hostLag: hostLagOf(tally),
    newsLagP95Ms: Math.round(quantileOf(tally.newsLag, 0.95) ?? 0),
    leftOpen: openJobs(soak),
    stopped,
    untaken: soak.context.spending.untaken(),
    variant: tally.variant,
  };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function errorKinds({ tally }: Soak): readonly (readonly [string, number])[] {
  const states = Object.entries(tally.endedByState).filter(([state]) => state !== "completed");
  const kinds = [
    ...Object.entries(tally.errors).filter(([kind]) => kind !== "not sent"),
    ...Object.entries(tally.refused).map(
      ([status, count]) => [`answered ${status}`, count] as const,
    ),
    ...states.map(([state, count]) => [`ended ${state}`, count] as const),
    ["not found any more", tally.lost.count] as const,
  ];
  return kinds.filter(([, count]) => count > 0);
}
