/** How long to wait for jobs and webhooks, by what was learnt so far; looked up for every job. */

import type { Histogram } from "../../contract/histogram.ts";
import { quantileOf } from "../../contract/histogram.ts";
import { lagAllowanceMs, machineDoubt } from "../../contract/judges/load/generator.ts";
import { now } from "../lib/clock.ts";
import type { Soak } from "./soak.ts";
import { hostLagOf } from "./soak.ts";
import type { Tally } from "./tally.ts";

/** Ours: a quantile hardly moves while the values grow by less. */
const GROWTH = 1.02;

interface Learnt {
  count: number;
  value: number | null;
}

const learnt = new WeakMap<Histogram, Map<number, Learnt>>();

/** A quantile that is worked out anew only when enough values have come. */
export function learntQuantile(histogram: Histogram, q: number): number | null {
  const known = learnt.get(histogram) ?? new Map<number, Learnt>();
  learnt.set(histogram, known);
  const before = known.get(q);
  if (before !== undefined && histogram.count <= before.count * GROWTH) return before.value;
  const value = quantileOf(histogram, q);
  known.set(q, { count: histogram.count, value });
  return value;
}

/** Ours: on a machine that is no measure of anything, jobs and webhooks are waited for longer. */
const OVERLOADED_SLACK_MS = 10_000;
const LOOK_MS = 1_000;

const looks = new WeakMap<Tally, { atMs: number; slackMs: number }>();

/** How much longer than usual a job or a webhook may take for this machine's sake. */
export function machineSlackMs({ tally }: Soak): number {
  const before = looks.get(tally);
  if (before !== undefined && now() - before.atMs < LOOK_MS) return before.slackMs;
  const lag = hostLagOf({ tally });
  const overloadedMs = machineDoubt(lag) === null ? 0 : OVERLOADED_SLACK_MS;
  const slackMs = lagAllowanceMs(lag.wholeMs) + overloadedMs;
  looks.set(tally, { atMs: now(), slackMs });
  return slackMs;
}
