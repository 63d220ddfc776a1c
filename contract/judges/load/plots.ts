/** The soak over time, for the report's plots. */

import { rounded } from "../../figures.ts";
import type { LoadObjectives } from "../../run-plan.ts";
import type { LoadSeries } from "../../series.ts";
import type { Range } from "./series.ts";
import { lengthOf, meanBacklog, quantileIn, sumOf, worstOf } from "./series.ts";
import type { LoadSeen } from "./tally.ts";

/** Ours: a plot is no finer. */
const POINTS_MAX = 300;
/** Ours: a hundredth of a millisecond, or of a job a second, is finer than anything plotted. */
const DIGITS = 2;

export function loadSeries(load: LoadSeen, objectives: LoadObjectives): LoadSeries {
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
    objectives: {
      throughputShare: objectives.throughputShare,
      submitP99Ms: objectives.submitP99Ms,
      queueWaitP99Ms: objectives.queueWaitP99Ms,
    },
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
