/**
 * The rate of a limiter that bars a key for a while once it has refused. Its allowance goes on
 * growing meanwhile: a pace within the plan tells little, as the key lives on what it saved up.
 *
 * When a bar begins, less than one request is left. From one bar's beginning to a later one's a
 * key thus gets what it earned, less what bars cost: `admitted = rate x time - cost x bars`. An
 * overload has many bars, a pace slightly beyond the plan few: two such sums tell rate and cost.
 */

import type { Exchange } from "../../exchange.ts";
import { leastOf, mostOf } from "../../extremes.ts";
import type { Range } from "../../judging/range.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Drain } from "./trial.ts";
import { outcomeOf, withoutEqualLag } from "./trial.ts";

/** Ours: shorter runs of refusals are what a limiter refuses that bars no key. */
const BAR_WINDOWS = 0.2;
/** Ours: a bar takes as long whatever is asked meanwhile; a window's rest or a step does not. */
const ALIKE_SHARE = 0.7;
const BARS_MIN = 2;
/** Less than that is left when a bar begins. */
const LEFT_MAX = 1;

/** Refused requests without an admitted one between them. */
type Run = readonly Exchange[];

/** From the first bar's beginning to the last one's, a second. */
interface Spell {
  admitted: number;
  bars: number;
  /** By how much `admitted` may be wrong: by what was left, and by what was on its way. */
  error: number;
}

/**
 * Requests per second; null unless the key was barred at a pace slightly beyond its plan. Without
 * an overload that tells as much, what bars cost is unknown: the rate is no more than that pace.
 */
export function barredRate({ press, even }: Drain, limit: RateLimit): Range | null {
  if (even === undefined) return null;
  const few = inTurn(even.above.shots);
  const beyond = barsIn(few, limit);
  if (beyond === null || !areAlike(beyond)) return null;
  const seldom = spellOf(few, beyond);
  const many = inTurn(press);
  const overloaded = barsIn(many, limit);
  const asked = even.above.offeredPerSecond;
  const [low, most] = [seldom.admitted - seldom.error, seldom.admitted + seldom.error];
  if (overloaded === null) return { low, high: Math.max(most, asked) };
  const often = spellOf(many, overloaded);
  if (!areAlike([...overloaded, ...beyond]) || often.bars <= seldom.bars) return null;
  const costMost = (most - (often.admitted - often.error)) / (often.bars - seldom.bars);
  return { low, high: most + Math.max(0, costMost) * seldom.bars };
}

function inTurn(shots: readonly Exchange[]): readonly Exchange[] {
  return withoutEqualLag(shots).toSorted((a, b) => a.sentAtMs - b.sentAtMs);
}

/** Null where some refusals bar nothing, or where too few do. The last run may be cut off. */
function barsIn(shots: readonly Exchange[], limit: RateLimit): readonly Run[] | null {
  const runs = runsIn(shots);
  const isCutOff = shots.at(-1) === runs.at(-1)?.at(-1);
  const whole = isCutOff ? runs.slice(0, -1) : runs;
  const isOther = whole.some((run) => lengthMs(run) < BAR_WINDOWS * windowMs(limit));
  return isOther || whole.length < BARS_MIN ? null : whole;
}

function runsIn(shots: readonly Exchange[]): readonly Run[] {
  const runs: Exchange[][] = [];
  let isRefused = false;
  for (const shot of shots) {
    const outcome = outcomeOf(shot);
    if (outcome === "refused" && !isRefused) runs.push([]);
    if (outcome === "refused") runs.at(-1)?.push(shot);
    isRefused = outcome === "refused" || (isRefused && outcome === "failed");
  }
  return runs;
}

function lengthMs(run: Run): number {
  return (run.at(-1)?.sentAtMs ?? 0) - (run[0]?.sentAtMs ?? 0);
}

function areAlike(bars: readonly Run[]): boolean {
  const lengths = bars.map(lengthMs);
  return leastOf(lengths) >= ALIKE_SHARE * mostOf(lengths);
}

function spellOf(shots: readonly Exchange[], bars: readonly Run[]): Spell {
  const begins = bars.flatMap((run) => run.slice(0, 1));
  const [first, last] = [begins[0], begins.at(-1)];
  const [fromMs, toMs] = [first?.sentAtMs ?? 0, last?.sentAtMs ?? 0];
  const seconds = (toMs - fromMs) / 1_000;
  const between = shots.filter(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs < toMs);
  const admitted = between.filter((shot) => outcomeOf(shot) === "admitted").length;
  const lags = between.map(({ sentAtMs, receivedAtMs }) => receivedAtMs - sentAtMs);
  const onTheWay = (between.length / seconds) * (mostOf([0, ...lags]) / 1_000);
  return {
    admitted: admitted / seconds,
    bars: (bars.length - 1) / seconds,
    error: (LEFT_MAX + onTheWay) / seconds,
  };
}
