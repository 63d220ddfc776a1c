/** Holds a real run against its simulation: verdicts, and of healthy services figures as well. */

import { z } from "zod";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { companionsOf } from "../kill-matrix/companions.ts";

export interface Comparison {
  /**
   * Broken in one of both, where the other one can tell and says otherwise; a line each. Not the
   * fault's permitted side effects: whether they break hangs on the machine, as connections do.
   */
  contradictions: readonly string[];
  /**
   * In doubt or unobserved in one of both, and not broken in k6 but by the fault, with the reasons;
   * a line each.
   */
  doubts: readonly string[];
  /** Figures that lie too far apart; a line each. */
  figures: readonly string[];
}

/**
 * Ours, as promised of the simulation: where nothing else runs on the machine but what stands back.
 */
const TOLERATED = { waitMs: 50, rateShare: 0.005, burst: 1 } as const;

export function compare(
  real: RunResult,
  simulated: RunResult,
  { fault, isAlone }: { fault: Fault | null; isAlone: boolean },
): Comparison {
  const companions = fault === null ? null : companionsOf(fault);
  const pairs = real.findings.flatMap((finding) => {
    const other = simulated.findings.find(({ promise }) => promise === finding.promise);
    return other === undefined ? [] : [{ real: finding, simulated: other }];
  });
  const differing = pairs.filter((pair) => pair.real.verdict !== pair.simulated.verdict);
  // Near the end of a run's time either may be the one that has none left; and a fault that strikes
  // by chance may strike too seldom in one of both to be told.
  const isDoubt = ({ real, simulated }: Pair) => {
    const isRight = real.verdict !== "broken" || real.promise === fault?.promise;
    return isOpen(real) || (isOpen(simulated) && isRight);
  };
  return {
    contradictions: differing
      .filter((pair) => !isDoubt(pair) && !companions?.has(pair.real.promise))
      .map(toldOf),
    doubts: differing.filter(isDoubt).map(toldOf),
    figures: [
      ...(fault === null ? differingCounts(real, simulated) : []),
      ...(isAlone ? [...pairs.flatMap(differingWaits), ...differingRates(real, simulated)] : []),
    ],
  };
}

const isOpen = ({ verdict }: Finding) => verdict === "inconclusive" || verdict === "unobserved";

interface Pair {
  real: Finding;
  simulated: Finding;
}

function toldOf({ real, simulated }: Pair): string {
  const said = `${real.promise} is ${real.verdict} in k6, ${simulated.verdict} in the simulation`;
  return `${said}: ${real.summary} / ${simulated.summary}`;
}

/** "4998 to 5003 ms": a wait by its least, which is the one of the two that no answer lengthens. */
const leastMs = z.string().transform((range) => Number.parseInt(range, 10));
const waits = z.object({ measured: leastMs.array(), lagMs: z.number().array() });

/** Both in order; a wait may be longer by what the run itself measured of the machine's lag. */
function differingWaits({ real, simulated }: Pair): readonly string[] {
  const isSeen = real.verdict === "kept" && simulated.verdict === "kept";
  if (!isSeen || !real.promise.startsWith("webhook.wait-")) return [];
  const [own, other] = [waits.parse(real.evidence), waits.parse(simulated.evidence)];
  const lagMs = Math.max(0, ...own.lagMs);
  const expected = other.measured.toSorted((a, b) => a - b);
  const found = own.measured.toSorted((a, b) => a - b);
  const isNear = found.every((ms, at) => {
    return Math.abs(ms - (expected[at] ?? Number.NaN)) <= TOLERATED.waitMs + lagMs;
  });
  if (isNear && found.length === expected.length) return [];
  return [`${real.promise}: ${found} ms in k6, ${expected} ms in the simulation`];
}

const value = z.object({ value: z.number() });
const limits = z.object({ key: z.string(), sustained: value, burst: value }).array();

function differingRates(real: RunResult, simulated: RunResult): readonly string[] {
  const found = limits.parse(real.measurements.rate ?? []);
  const expected = limits.parse(simulated.measurements.rate ?? []);
  return expected.flatMap(({ key, sustained, burst }) => {
    const own = found.find((each) => each.key === key);
    if (own === undefined) return [`${key}: no limit in k6`];
    const isNear =
      Math.abs(own.sustained.value / sustained.value - 1) <= TOLERATED.rateShare &&
      Math.abs(own.burst.value - burst.value) <= TOLERATED.burst;
    if (isNear) return [];
    const [there, here] = [own, { sustained, burst }].map((each) => {
      return `${each.sustained.value}/s and bursts of ${each.burst.value}`;
    });
    return [`${key}: ${there} in k6, ${here} in the simulation`];
  });
}

const COUNTS = {
  load: ["offered", "accepted", "ended", "completed", "inFlight", "lost"],
  timeout: ["jobs", "timedOut", "stated"],
  webhook: ["jobs"],
} as const;

/**
 * Jobs of the webhook scenario's second burst: it is sent where a cancel came too late for the
 * first, which on a busy machine and in scaled time happens in real k6 alone.
 */
const SECOND_BURST_JOBS = 24;
const BURST_COUNTS = /^(jobs spent|webhook \d+ jobs)$/;

function differingCounts(real: RunResult, simulated: RunResult): readonly string[] {
  const [found, expected] = [countsOf(real), countsOf(simulated)];
  return [...expected].flatMap(([name, count]) => {
    const own = found.get(name);
    if (name === "jobs spent" && isAskedAgain(real)) return [];
    const isBurst = BURST_COUNTS.test(name) && own === count + SECOND_BURST_JOBS;
    return own === count || isBurst ? [] : [`${name}: ${own} in k6, ${count} in the simulation`];
  });
}

/** What a busy machine left in doubt was asked twice, with as many jobs again. */
function isAskedAgain({ findings }: RunResult): boolean {
  return findings.some(({ evidence }) => "inDoubtAtFirst" in evidence);
}

function countsOf({ measurements, budget }: RunResult): ReadonlyMap<string, number> {
  const counts = new Map([["jobs spent", budget.spent.jobs ?? 0]]);
  for (const [group, names] of Object.entries(COUNTS)) {
    const rows = z
      .record(z.string(), z.unknown())
      .array()
      .parse(measurements[group] ?? []);
    for (const [at, row] of rows.entries()) {
      for (const name of names) counts.set(`${group} ${at} ${name}`, z.number().parse(row[name]));
    }
  }
  return counts;
}
