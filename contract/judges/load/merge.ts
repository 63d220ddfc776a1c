/**
 * Joins what several generators saw of one load. Each rule is associative and takes its two sides
 * in any order, and sums are of whole numbers: any number of shares in any order give the same.
 */

import type { Histogram } from "../../histogram.ts";
import { mergeHistograms } from "../../histogram.ts";
import { mergeIssued } from "../../issued-ids.ts";
import type { Variant } from "../../states.ts";
import { mergePassing } from "../passing.ts";
import type { Strayed } from "../timeout/under-load.ts";
import { mergeSeries } from "./merge-series.ts";
import type { CostTally, LoadSeen, LoadTally, Thirds, TimeFigures } from "./tally.ts";
import type { Violations } from "./violations.ts";
import { mergeViolations } from "./violations.ts";

type Merge<Value> = (a: Value, b: Value) => Value;

const sum: Merge<number> = (a, b) => a + b;
const histogram: Merge<Histogram> = (a, b) => mergeHistograms([a, b]);
const violations: Merge<Violations> = mergeViolations;
const strayed: Merge<Strayed> = (a, b) => ({
  ...violations(a, b),
  beyondMsMax: Math.max(a.beyondMsMax, b.beyondMsMax),
});

function fields<Value extends object>(
  rules: {
    readonly [Name in keyof Value]-?: Merge<Value[Name]>;
  },
): Merge<Value> {
  const names = Object.keys(rules) as (keyof Value)[];
  return (a, b) =>
    Object.fromEntries(names.map((name) => [name, rules[name](a[name], b[name])])) as Value;
}

/** By name; what only one side has stays as it is. */
function named<Value>(rule: Merge<Value>): Merge<Record<string, Value>> {
  return (a, b) => {
    const merged = { ...a };
    for (const [name, value] of Object.entries(b)) {
      const own = merged[name];
      merged[name] = own === undefined ? value : rule(own, value);
    }
    return merged;
  };
}

const thirds: Merge<Thirds> = (a, b) => [
  histogram(a[0], b[0]),
  histogram(a[1], b[1]),
  histogram(a[2], b[2]),
];

const figures = fields<TimeFigures>({ thirds, all: histogram, over: violations });

const variant: Merge<Variant | null> = (a, b) =>
  [a, b].sort().find((each) => each !== null) ?? null;

const tally = fields<LoadTally>({
  scheduled: sum,
  offered: sum,
  dropped: sum,
  droppedLate: sum,
  throttled: sum,
  heldBack: sum,
  refused: named(sum),
  accepted: sum,
  ambiguous: sum,
  resolved: sum,
  duplicates: sum,
  issued: mergeIssued,
  ended: sum,
  completed: sum,
  endedByState: named(sum),
  inFlight: sum,
  overdue: sum,
  unreadable: sum,
  lost: violations,
  unanswered: violations,
  requests: sum,
  requests429: sum,
  planRefusals: fields({ requests: sum, unlawful: violations, doubtful: violations }),
  errors: fields({
    "5xx": sum,
    "no answer": sum,
    "not sent": sum,
    malformed: sum,
    dripping: sum,
  }),
  failed: violations,
  idleCloses: sum,
  slow: sum,
  submit: figures,
  queueWait: figures,
  lives: named(histogram) as Merge<LoadTally["lives"]>,
  livesByThird: thirds,
  runsByThird: thirds,
  lag: histogram,
  loopDelay: histogram,
  hostLag: thirds,
  drainLagMs: Math.max,
  runnable: histogram,
  timeouts: fields({
    judged: sum,
    timedOut: sum,
    doubtful: sum,
    shortened: sum,
    slowStartMs: Math.max,
    shownEarlyMs: Math.max,
    fires: violations,
    free: violations,
    early: strayed,
    late: strayed,
  }),
  costs: named(
    fields<CostTally>({ sumBillionths: sum, dearest: Math.max, jobs: sum, unknown: sum }),
  ),
  webhooks: fields({
    ended: sum,
    delivered: sum,
    missing: violations,
    late: sum,
    unvouched: sum,
    pending: sum,
  }),
  deliveries: fields({
    judged: sum,
    unsigned: violations,
    unnamed: sum,
    untruthful: violations,
    wrongResult: violations,
    early: violations,
    misshapen: violations,
    byOther: violations,
    repeated: violations,
    again: violations,
    retried: sum,
    unretried: violations,
    mistimed: violations,
    goneOn: violations,
  }),
  verifications: fields({ done: sum, skipped: sum }),
  passing: mergePassing,
  variant,
});

export const mergeLoads = fields<LoadSeen>({
  startMs: Math.min,
  offerUntilMs: Math.max,
  jobsPerSecond: sum,
  isWhole: (a, b) => a && b,
  hasFeed: (a, b) => a && b,
  // One receiver counts for all that ask it.
  evicted: Math.max,
  tally,
  series: mergeSeries,
});
