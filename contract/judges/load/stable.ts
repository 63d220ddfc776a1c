/** load.stable: the last third of a soak is like the first: latency and backlog. Spec §1. */

import type { Claim } from "../../judging/claim.ts";
import { alike, anything, countedClaim } from "../../judging/claim.ts";
import { rounded } from "../../numbers/figures.ts";
import type { Histogram } from "../../numbers/histogram.ts";
import { countAbove, quantileOf } from "../../numbers/histogram.ts";
import type { OwnState } from "./generator.ts";
import { lagAllowanceMs, withdrawnBy } from "./generator.ts";
import { bucketIn } from "./series.ts";

/** One quantity in the first and the last third of the soak. */
export interface Thirds {
  name: string;
  first: Histogram;
  last: Histogram;
  /** Those of the last third step by step: number of values by bucket of a series. */
  steps: readonly Readonly<Record<number, number>>[];
  /** Whether a value is a wait in a queue, whose length moves by chance. */
  isQueued: boolean;
}

export interface Backlog {
  /** Mean number of jobs in flight; null where the soak was too short to fill up. */
  first: number | null;
  last: number | null;
  /** Jobs offered per second. */
  rate: number;
  /** By how many jobs the thirds differ by chance, where jobs live differently. */
  byChance: number;
  /** Many jobs ended at once, and the first third shows nothing but how others took their place. */
  isRefill: boolean;
}

/** Ours: smaller changes of a latency are noise of any machine, whatever share they are. */
const LATENCY_NOISE_MS = 50;
/** Ours: half a second's jobs, and a few, come and go by chance. */
const BACKLOG_NOISE_SECONDS = 0.5;
const BACKLOG_NOISE_JOBS = 5;
/** Ours: fewer values give no quantile worth comparing. */
export const SAMPLES_MIN = 30;
/** Ours: one false alarm in tens of thousands of comparisons; a gate makes up to seven. */
export const SIGMAS = 4;
const QUANTILES = [0.5, 0.95] as const;

interface Drift {
  what: string;
  /**
   * `lag`: not beyond what the machine's own lag explains; `queue`: beyond that, but not beyond a
   * queue that is longer by chance; `refill`: it may have been as high.
   */
  outcome: "none" | "lag" | "queue" | "refill" | "drift";
  text: string;
  evidence: Readonly<Record<string, number>>;
}

/** `hopeless`: why no service could have shown enough in that time; null: one could. */
export function stableClaim(
  thirds: readonly Thirds[],
  backlog: Backlog,
  margin: number | null,
  own: OwnState,
  hopeless: string | null,
): Claim {
  const { lastThirdMs } = own.lag;
  const lagMs = lagAllowanceMs(lastThirdMs);
  const measured = thirds.filter(
    ({ first, last }) => first.count >= SAMPLES_MIN && last.count >= SAMPLES_MIN,
  );
  const drifts =
    margin === null
      ? []
      : [
          ...measured.flatMap((each) => {
            // What so many more jobs before one take. Little's law.
            const queueMs = each.isQueued ? (noiseOf(backlog) / backlog.rate) * 1_000 : 0;
            return QUANTILES.map((q) => latencyDrift(each, q, margin, { lagMs, queueMs }));
          }),
          ...backlogDrift(backlog, margin, lagMs),
        ];
  const why = `this machine's own lag of ${Math.round(lastThirdMs)} ms explains it`;
  const explanations = {
    none: [],
    drift: [],
    lag: [anything("host lag", why)],
    queue: [anything("too little seen", "a queue longer by a few jobs explains it")],
    refill: [anything("too little seen", "many jobs ended at once before, and new ones came")],
  };
  const isHopeless = measured.length === 0 && hopeless !== null;
  const few = alike(1, `each third needs ${SAMPLES_MIN} responses or more`);
  return countedClaim({
    promise: "load.stable",
    faults: drifts
      .filter(({ outcome }) => outcome !== "none")
      .map((each) => ({ what: each.text, above: explanations[each.outcome] })),
    open: margin === null || measured.length > 0 || isHopeless ? [] : few,
    good: isHopeless ? 0 : drifts.filter(({ outcome }) => outcome === "none").length,
    of: "comparisons",
    off: "of the last third with the first show a drift",
    kept: `last third against first: ${drifts.map(({ text }) => text).join("; ")}`,
    without: margin === null ? "no objective for drift is set" : (hopeless ?? ""),
    ...withdrawnBy(own),
    quorum: { openShare: 0 },
    evidence: Object.fromEntries(drifts.map((each) => [each.what, each.evidence])),
  });
}

/**
 * Whether more of the last third lies above the first third's quantile (and margin) than chance
 * explains. Comparing two quantiles directly would call a tail that sits on the quantile a drift.
 */
function latencyDrift(
  { name, first, last, steps }: Thirds,
  q: number,
  margin: number,
  { lagMs, queueMs }: { lagMs: number; queueMs: number },
): Drift {
  const before = quantileOf(first, q) ?? 0;
  const after = quantileOf(last, q) ?? 0;
  const bound = Math.max(before * (1 + margin), before + LATENCY_NOISE_MS);
  const isAbove = (ms: number) => {
    const share = countAbove(last, ms) / last.count;
    const both = (countAbove(first, ms) + countAbove(last, ms)) / (first.count + last.count);
    // A tail behind a gap is not told by the quantile alone: what lies above it spreads as well.
    const variance = Math.max(q * (1 - q), both * (1 - both)) * clumping(steps, ms);
    return share > 1 - q + SIGMAS * Math.sqrt(variance * (1 / first.count + 1 / last.count));
  };
  const [firstMs, lastMs] = [rounded(before, 1), rounded(after, 1)];
  const what = `${name} p${q * 100}`;
  return {
    what,
    text: `${what} ${firstMs} → ${lastMs} ms`,
    outcome: outcomeOf(
      isAbove(bound),
      isAbove(Math.max(bound, before + lagMs)),
      isAbove(Math.max(bound, before + lagMs + queueMs)),
    ),
    evidence: {
      firstMs,
      lastMs,
      boundMs: rounded(bound, 1),
      above: countAbove(last, bound) / last.count,
    },
  };
}

/** Ours: fewer batches tell nothing of what lies between them. */
const BATCHES_MIN = 6;

/**
 * How many times as far the values above a bound spread as if each came by itself, where they come
 * in batches of any length: a service has slow moments, and a third a few of them. At least 1, and
 * 1 where none or all lie above.
 */
function clumping(steps: Thirds["steps"], boundMs: number): number {
  const bound = bucketIn(boundMs);
  const counts = steps.map((step) => {
    const all = Object.entries(step);
    const sum = (some: typeof all) => some.reduce((total, [, count]) => total + count, 0);
    return { all: sum(all), above: sum(all.filter(([bucket]) => Number(bucket) > bound)) };
  });
  let most = 1;
  for (let width = 1; counts.length / width >= BATCHES_MIN; width *= 2) {
    const batches = Array.from({ length: Math.floor(counts.length / width) }, (_, at) =>
      counts.slice(at * width, (at + 1) * width).reduce(added, NO_COUNTS),
    );
    most = Math.max(most, dispersionOf(batches));
  }
  return most;
}

interface Counts {
  all: number;
  above: number;
}

const NO_COUNTS: Counts = { all: 0, above: 0 };

function added(a: Counts, b: Counts): Counts {
  return { all: a.all + b.all, above: a.above + b.above };
}

/** Pearson's chi-squared by its degrees of freedom. */
function dispersionOf(batches: readonly Counts[]): number {
  const { all, above } = batches.reduce(added, NO_COUNTS);
  const share = above / Math.max(1, all);
  if (share === 0 || share === 1) return 1;
  const squares = batches.map(
    (each) => (each.above - share * each.all) ** 2 / Math.max(1, each.all),
  );
  const chiSquared = squares.reduce((sum, square) => sum + square, 0) / (share * (1 - share));
  return chiSquared / (batches.length - 1);
}

function outcomeOf(
  isOver: boolean,
  isBeyondLag: boolean,
  isBeyondQueue = isBeyondLag,
): Drift["outcome"] {
  if (!isOver) return "none";
  if (!isBeyondLag) return "lag";
  return isBeyondQueue ? "drift" : "queue";
}

/** What a backlog moves by through chance. */
export function backlogNoise(rate: number): number {
  return Math.max(BACKLOG_NOISE_JOBS, rate * BACKLOG_NOISE_SECONDS);
}

function noiseOf({ rate, byChance }: Backlog): number {
  return Math.max(backlogNoise(rate), byChance);
}

function backlogDrift(backlog: Backlog, margin: number, lagMs: number): Drift[] {
  const { first, last, rate, isRefill } = backlog;
  if (first === null || last === null) return [];
  const bound = Math.max(first * (1 + margin), first + noiseOf(backlog));
  const lagging = first + (rate * lagMs) / 1_000;
  const outcome = outcomeOf(last > bound, last > Math.max(bound, lagging));
  const evidence = { firstJobs: rounded(first, 1), lastJobs: rounded(last, 1) };
  return [
    {
      what: "backlog",
      text: `backlog ${evidence.firstJobs} → ${evidence.lastJobs} jobs`,
      outcome: outcome === "drift" && isRefill ? "refill" : outcome,
      evidence,
    },
  ];
}
