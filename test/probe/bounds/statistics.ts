/** Figures of a setting: widths, truth inside, and what fixed-interval polling would have given. */

import { meanOf } from "../../../capacity/statistics/moments.ts";
import type { Measured } from "./measure.ts";

/** Jobs of each canary after which what is learnt has settled. */
const LEARNING_JOBS = 30;

export interface Figures {
  transitions: number;
  inside: number;
  jobs: number;
  /** Of the ends, after learning. */
  widths: { p50: number; p90: number; p99: number };
  polls: { mean: number; max: number; shareAboveSix: number };
  /** The interval, and so the width, of polling at fixed intervals with as many polls a job. */
  fixed: { p50: number; p90: number };
}

export function figuresOf(measured: readonly Measured[]): Figures {
  const ends = measured.filter(({ to }) => to === "end");
  const learnt = ends.filter(({ index }) => index >= LEARNING_JOBS);
  const widths = learnt.map(({ widthMs }) => widthMs);
  const ofCanary = Map.groupBy(learnt, ({ canary }) => canary);
  const fixed = [...ofCanary.values()].flatMap((jobs) =>
    Array<number>(jobs.length).fill(intervalOf(jobs)),
  );
  const polls = ends.map((each) => each.polls);
  return {
    transitions: measured.length,
    inside: measured.filter(({ isInside }) => isInside).length,
    jobs: ends.length,
    widths: {
      p50: quantile(widths, 0.5),
      p90: quantile(widths, 0.9),
      p99: quantile(widths, 0.99),
    },
    polls: {
      mean: meanOf(polls),
      max: Math.max(...polls),
      shareAboveSix: polls.filter((count) => count > 6).length / polls.length,
    },
    fixed: { p50: quantile(fixed, 0.5), p90: quantile(fixed, 0.9) },
  };
}

/** The fixed interval that takes as many polls on average as these jobs were given. */
function intervalOf(jobs: readonly Measured[]): number {
  const wanted = meanOf(jobs.map(({ polls }) => polls));
  const pollsAt = (intervalMs: number) =>
    meanOf(jobs.map(({ durationMs }) => Math.ceil(durationMs / intervalMs)));
  let [low, high] = [1, 60_000];
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2;
    if (pollsAt(middle) > wanted) low = middle;
    else high = middle;
  }
  return high;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
