/**
 * What the account's balance shows of the probe's own jobs: whether each was charged once, and
 * those that timed out not at all. Readings count while no job is under way: what lies between two
 * of them is a span with jobs whose cost is known, or a quiet one. Spec §1.4, §2.10, §3.
 */

import type { Movement } from "../../../contract/balance/changes.ts";
import { isAbout, movedBy, movementOf, SUM_ERROR } from "../../../contract/balance/changes.ts";
import { fallsByItself } from "../../../contract/balance/kinds.ts";
import type { AccountReading } from "../../../contract/balance/read.ts";
import { readingOf } from "../../../contract/balance/read.ts";
import type { BalanceSpan } from "../../../contract/balance/spans.ts";
import { netFall } from "../../../contract/balance/spans.ts";
import { balanceFactors } from "../../../contract/balance/unit-cost.ts";
import { judgeChargedOnce } from "../../../contract/judges/job/charged-once.ts";
import { COST_DUE_MS } from "../../../contract/judges/job/shape.ts";
import { judgeBalance } from "../../../contract/judges/timeout/balance.ts";
import { NO_FAULTS } from "../../../contract/judging/claim.ts";
import { decide } from "../../../contract/judging/decide.ts";
import type { Spent } from "../../../contract/limits/budget.ts";
import { percentileOf } from "../../../contract/numbers/figures.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { EndState } from "../../../contract/states.ts";
import type { Promising } from "../../../contract/time/promised-times.ts";
import { ownMs, promisedTimes } from "../../../contract/time/promised-times.ts";
import type { Finding } from "../../../contract/verdict.ts";

/** Ours: most services have written a charge by then; of others the spans agree with nothing. */
const CALM_MS = 10_000;
/** Ours: enough for several spans of each kind, where a canary runs each minute. */
const KEPT_MS = 2 * 3_600_000;

/** Ours, in spans with jobs that cost: so many that are all wrong by as much are no chance. */
const CHANGED_PAID_MIN = 5;
/** Ours: what is still held for a job by then counts as taken. */
const RELEASED_MS = 10 * 60_000;

type Cost = Pick<Spent, "credits" | "usd">;
const FREE: Cost = { credits: 0, usd: 0 };

interface Span extends Movement {
  cost: Cost;
  timeouts: number;
  toMs: number;
}

export class Charges {
  readonly #underWay = new Set<string>();
  #lastEndMs = Number.NEGATIVE_INFINITY;
  /** Of jobs since the last reading that counts; null where the cost of one is not known. */
  #cost: Cost | null = FREE;
  #timeouts = 0;
  #last: AccountReading | null = null;
  #spans: readonly Span[] = [];

  begins(runId: string): void {
    this.#underWay.add(runId);
  }

  /** `stated`: what it costs by the service's word; null where there is none. */
  ends(runId: string, atMs: number, stated: Cost | null, end: EndState | null): void {
    this.#underWay.delete(runId);
    this.#lastEndMs = atMs;
    const isTimeout = end === "timeout";
    if (isTimeout) this.#timeouts += 1;
    const before = this.#cost;
    const cost = stated ?? (isTimeout ? FREE : null);
    const isKnown = before !== null && cost !== null;
    this.#cost = isKnown
      ? { credits: before.credits + cost.credits, usd: before.usd + cost.usd }
      : null;
  }

  /** After a gap nobody knows what was charged meanwhile. */
  forget(): void {
    this.#last = null;
    this.#spans = [];
  }

  /** What contradicts once this is known, too. */
  violations(credits: Exchange, target: Promising): readonly Finding[] {
    const isCalm = this.#underWay.size === 0 && credits.sentAtMs - this.#lastEndMs >= CALM_MS;
    if (!isCalm) return [];
    // An account may tell a long history of its usage: of the answer only its amounts are kept.
    this.#span({ ...readingOf([credits]), exchanges: [] });
    const heldMs = ownMs(promisedTimes(target), COST_DUE_MS);
    const histories = [this.#spans, ...sinceChange(this.#spans)];
    return (
      histories.map((spans) => judgeSpans(spans, heldMs)).find((found) => found.length > 0) ?? []
    );
  }

  #span(reading: AccountReading): void {
    const [last, cost, timeouts] = [this.#last, this.#cost, this.#timeouts];
    this.#last = reading;
    this.#cost = FREE;
    this.#timeouts = 0;
    if (last === null || cost === null) return;
    const span = { ...movementOf(last, reading), cost, timeouts, toMs: reading.readAtMs };
    const sinceMs = reading.readAtMs - KEPT_MS;
    this.#spans = [...this.#spans.filter(({ toMs }) => toMs > sinceMs), span];
  }
}

/**
 * Where charges change in mid-life, two hours of right ones would hide them: the spans since the
 * first that an amount did not fall in by the costs, and those since the next, as in the first some
 * may have been right. Where others use the account, such spans lie among right ones, and are not
 * all wrong by as much.
 */
function sinceChange(spans: readonly Span[]): readonly (readonly Span[])[] {
  const firsts = Object.keys(spans[0]?.before ?? {}).map((path) => {
    const first = spans.findIndex((span) => !fellByCost(path, span));
    return first < 0 ? spans.length : first;
  });
  const first = Math.max(0, ...firsts);
  const isEnough = (later: readonly Span[]) => later.filter(isPaid).length >= CHANGED_PAID_MIN;
  return [spans.slice(first), spans.slice(first + 1)].filter(isEnough);
}

function isPaid({ cost }: Span): boolean {
  return cost.credits > 0 || cost.usd > 0;
}

/** The costs are in one unit alone. */
function fellByCost(path: string, span: Span): boolean {
  return isAbout(movedBy(path, span), span.cost.credits + span.cost.usd);
}

function judgeSpans(spans: readonly Span[], heldMs: number): readonly Finding[] {
  const sum = (unit: keyof Cost) => spans.reduce((all, { cost }) => all + cost[unit], 0);
  // Costs in both units would be two prices of one job.
  if (sum("credits") > 0 === sum("usd") > 0) return [];
  const unit = sum("usd") > 0 ? "usd" : "credits";
  const read = spans.map(({ cost, toMs: _, ...span }): BalanceSpan => {
    return { ...span, knownCost: cost[unit], exchanges: [] };
  });
  const paid = read.filter(({ knownCost }) => knownCost > 0);
  const others = read.filter(({ timeouts }) => timeouts === 0);
  const [completed, quiet] = [
    others.filter(({ knownCost }) => knownCost > 0),
    others.filter(({ knownCost }) => knownCost === 0),
  ];
  const releasedMs = (spans.at(-1)?.toMs ?? 0) - RELEASED_MS;
  const timedOut = read.filter(
    ({ timeouts }, at) => timeouts > 0 && (spans[at]?.toMs ?? 0) <= releasedMs,
  );
  return [
    ...judgeChargedOnce({ ...beside(paid, unit), quiet }, heldMs),
    ...judgeTimeouts(timedOut, { others, completed, quiet, unit, heldMs }),
  ];
}

interface Known {
  /** Those in which no job timed out. */
  others: readonly BalanceSpan[];
  /** Of these, those with jobs that cost. */
  completed: readonly BalanceSpan[];
  quiet: readonly BalanceSpan[];
  unit: keyof Cost;
  heldMs: number;
}

/** The first shows what costs take from the balance; the others are held against it. */
function beside([first, ...waves]: readonly BalanceSpan[], unit: keyof Cost) {
  if (first === undefined) return { calibration: null, waves };
  const { before, after, knownCost } = first;
  return { calibration: { before, after, cost: knownCost, unit }, waves };
}

function judgeTimeouts(timedOut: readonly BalanceSpan[], known: Known): readonly Finding[] {
  const { completed, quiet, unit, heldMs } = known;
  const { calibration, waves } = beside(completed, unit);
  const sampleOf = (those: readonly BalanceSpan[]) =>
    judgeBalance({ calibration, waves: those, quiet }, heldMs);
  // What jobs that did not time out take beyond their costs is not the timeouts' doing.
  if (sampleOf(waves)?.high !== 0) return [];
  const sample = sampleOf(timedOut);
  const paths = balanceFactors(calibration)
    .map(({ path }) => path)
    .filter((path) => !fallsByItself(path, quiet));
  if (sample === null || paths.every((path) => isGivenBack(path, timedOut, known))) return [];
  const words = { of: "jobs", kept: "", without: "", unit: "faults" } as const;
  const claim = { promise: "timeout.free", tolerated: NO_FAULTS, samples: [sample] } as const;
  return [decide({ ...words, ...claim })].filter(({ verdict }) => verdict === "broken");
}

/** Ours: what others use meanwhile hides some of what comes back; less of it is chance. */
const GIVEN_BACK_SHARE = 0.5;
/**
 * Ours: of spans with jobs, so many may fall by less than the costs, as what was held comes back in
 * them: canaries and what a service gives back come at fixed times, and may meet in each other one.
 */
const BACK_SHARE_MAX = 0.75;

/**
 * Whether an amount fell by nothing with timeouts, or by what came back in other spans, beside what
 * jobs cost: a price that is held for minutes, and released.
 */
function isGivenBack(
  path: string,
  timedOut: readonly BalanceSpan[],
  { others, completed }: Pick<Known, "others" | "completed">,
): boolean {
  const perCosts = completed.map((span) => movedBy(path, span) / span.knownCost);
  const moving = { path, perCost: percentileOf(perCosts, BACK_SHARE_MAX) };
  const taken = netFall(moving, timedOut);
  return taken <= SUM_ERROR || -netFall(moving, others) > taken * GIVEN_BACK_SHARE;
}
