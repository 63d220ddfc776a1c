/** The soak over time, for the report's plots. */

import type { Histogram } from "../../contract/histogram.ts";
import { quantileOf } from "../../contract/histogram.ts";
import type { LoadSeries } from "../../contract/series.ts";
import type { Series, Step } from "./series.ts";
import { sumOfSteps } from "./series.ts";
import type { Soak } from "./soak.ts";

/** Ours: a plot is no finer. */
const POINTS_MAX = 300;

export function loadSeries(soak: Soak): LoadSeries {
  const { tally, objectives, startMs, offerUntilMs, jobsPerSecond } = soak;
  const { seconds, steps } = thinned(tally.series);
  const rate = (count: (step: Step) => number) => steps.map((step) => round(count(step) / seconds));
  const time = (of: (step: Step) => Histogram | undefined, share: number) =>
    steps.map((step) => quantile(of(step), share));
  return {
    stepSeconds: round(seconds),
    offerSeconds: round((offerUntilMs - startMs) / 1_000),
    jobsPerSecond: round(jobsPerSecond),
    objectives: {
      throughputShare: objectives.throughputShare,
      submitP99Ms: objectives.submitP99Ms,
      queueWaitP99Ms: objectives.queueWaitP99Ms,
    },
    offered: rate(({ offered }) => offered),
    completed: rate(({ completed }) => completed),
    errors: rate(({ errors }) => errors),
    backlog: steps.map(({ backlogSum, backlogLooks }) =>
      backlogLooks === 0 ? null : round(backlogSum / backlogLooks),
    ),
    submitP50Ms: time(({ times }) => times.submit, 0.5),
    submitP99Ms: time(({ times }) => times.submit, 0.99),
    queueWaitP50Ms: time(({ times }) => times.queueWait, 0.5),
    queueWaitP99Ms: time(({ times }) => times.queueWait, 0.99),
    sendLagP99Ms: time(({ times }) => times.sendLag, 0.99),
    loopDelayMaxMs: time(({ times }) => times.loopDelay, 1),
    hostLagMaxMs: time(({ times }) => times.hostLag, 1),
  };
}

function thinned({ stepMs, steps }: Series): { seconds: number; steps: readonly Step[] } {
  const width = Math.max(1, Math.ceil(steps.length / POINTS_MAX));
  const joined = Array.from({ length: Math.ceil(steps.length / width) }, (_, at) =>
    sumOfSteps(steps.slice(at * width, (at + 1) * width)),
  );
  return { seconds: (width * stepMs) / 1_000, steps: joined };
}

function quantile(histogram: Histogram | undefined, share: number): number | null {
  const value = histogram === undefined ? null : quantileOf(histogram, share);
  return value === null ? null : round(value);
}

/** Ours: a hundredth of a millisecond, or of a job a second, is finer than anything plotted. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
