/** Counts each submission against the budget before it is sent: the ceiling is never crossed. */

import { decodeAccepted } from "../../contract/decode/accepted.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import { PER_RUN } from "../../contract/decode/worker.ts";
import type { JobCharges } from "../../contract/jobs/earlier-jobs.ts";
import type { Price, Room } from "../../contract/limits/budget.ts";
import { amountIn, exact } from "../../contract/limits/budget.ts";
import { UnitBudget } from "../../contract/limits/unit-budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isClientError, isSuccess, jsonBody } from "../../contract/requests/exchange.ts";
import type { Budget } from "../../contract/run/run-plan.ts";
import { isFreeByRule } from "../../contract/states.ts";
import { Untaken } from "./untaken.ts";

/** A submission that the budget has room for, until its answer is there. */
export interface Charge {
  /** Holds the estimate of an accepted job; gives back what a refused one has not cost. */
  answered(exchange: Exchange): void;
  /** Gives back all of it, the job included: there is none. */
  unsent(): void;
}

export interface Spending {
  /**
   * Takes one job of that worker out of the budget. `none` where that might cross the ceiling;
   * `later` while the cost of a job on its way is not known yet, or none is taken for a moment.
   */
  take(workerId: string, price: Price): Charge | Exclude<Room, "room">;
  /** Jobs that may still be submitted, as far as costs are known; Infinity without a ceiling. */
  left(): number;
  /** Settles a job by what it was seen to cost; a job that is settled stays so. */
  ended(id: string, job: Job): void;
  /** Counts a job that nobody meant to start. */
  surprise(exchange: Exchange): void;
  /** What was charged, and what jobs that were not seen to end may cost. */
  spent(): { jobs: number; credits: number; usd: number };
  /** What jobs said that they cost, and how many have not. */
  charges(): JobCharges;
  /** True once a submission was refused for the budget, or as none is taken any more. */
  exhausted(): boolean;
  /** What the last submissions in a row got that were not taken; null: they are taken. */
  untaken(): string | null;
  /** Why no more are sent: that none is taken any more; or else what is said of the budget. */
  whyNot(ofBudget: string): string;
}

/** Without a figure: a scenario knows its own share of the budget, not what the file names. */
function unheldText(unit: "credits" | "usd"): string {
  const name = unit === "usd" ? "USD" : unit;
  const unstated = `neither price nor estimate nor cost of a job was stated in ${name}`;
  return `the budget's ceiling in ${name} was not kept to, as ${unstated}`;
}

type Tell = (text: string) => void;

function unitBudgets(budget: Budget, tell: Tell): [credits: UnitBudget, usd: UnitBudget] {
  const of = (unit: "credits" | "usd") =>
    new UnitBudget(budget[unit], () => tell(unheldText(unit)));
  return [of("credits"), of("usd")];
}

function leastOf(rooms: readonly Room[]): Room {
  if (rooms.includes("none")) return "none";
  return rooms.includes("later") ? "later" : "room";
}

/**
 * The dearest job known of a worker is held for each that is on its way: its price, its estimate
 * (variant A, Spec §2.4) or what another one cost. While none of them is known, one job at a time
 * tells it. `tell` is told what can't be kept to; `now` in ms, from a clock that never steps.
 */
export function spendingOf(budget: Budget, tell: Tell, now: () => number): Spending {
  const units = unitBudgets(budget, tell);
  const [credits, usd] = units;
  const open = new Map<string, Sent>();
  const tellIfDear = dearRuns(tell);
  const untaken = new Untaken(now, tell);
  let [jobs, taken, stopped] = [0, 0, false];
  const told = { jobs: 0, credits: 0, usd: 0 };
  const jobsLeft = () =>
    untaken.room() === "none" ? 0 : (budget.jobs ?? Number.POSITIVE_INFINITY) - jobs;
  const roomFor = (workerId: string, price: Price): Room => {
    if (jobsLeft() <= 0) return "none";
    const priced = [credits.room(workerId, price.credits), usd.room(workerId, price.usd)];
    return leastOf([...priced, untaken.room()]);
  };
  const chargeOf = (sent: Sent): Charge => {
    const { job } = sent;
    const release = () => {
      for (const unit of units) unit.release(job);
    };
    const unsent = () => {
      jobs -= 1;
      release();
    };
    return {
      unsent,
      answered(exchange) {
        untaken.answered(exchange);
        if (isSuccess(exchange)) accept(sent, exchange, { open, credits, usd });
        else if (exchange.error === "local") unsent();
        // Without an answer there may be a job: what is held for it stays so.
        else if (isClientError(exchange)) release();
        else for (const unit of units) unit.lose(job);
      },
    };
  };
  return {
    take(workerId, price) {
      const room = roomFor(workerId, price);
      stopped ||= room === "none";
      if (room !== "room") return room;
      jobs += 1;
      taken += 1;
      untaken.taken();
      const job = taken;
      credits.hold(job, workerId, price.credits);
      usd.hold(job, workerId, price.usd);
      return chargeOf({ job, workerId, price, estimatedCredits: null });
    },
    left: () => Math.max(0, Math.min(jobsLeft(), ...units.map((unit) => unit.left()))),
    ended(id, ended) {
      const sent = open.get(id);
      if (sent === undefined) return;
      open.delete(id);
      tellIfDear(sent.workerId, sent, ended);
      settle(sent.job, ended, { credits, usd, told });
    },
    surprise(exchange) {
      jobs += 1;
      credits.charge(amountIn(decodeAccepted(jsonBody(exchange)).value?.estimatedCredits) ?? 0);
    },
    spent: () => ({ jobs, credits: credits.spent(), usd: usd.spent() }),
    charges: () => ({ ...told, unknown: jobs - told.jobs }),
    exhausted: () => stopped,
    untaken: () => untaken.lastRow,
    whyNot: (ofBudget) => untaken.reason ?? ofBudget,
  };
}

interface Settled {
  credits: UnitBudget;
  usd: UnitBudget;
  told: Omit<JobCharges, "unknown">;
}

function settle(
  job: number,
  { cost: stated, state }: Pick<Job, "cost" | "state">,
  { credits, usd, told }: Settled,
): void {
  const isFree = isFreeByRule(state);
  const cost = { credits: amountIn(stated.credits), usd: amountIn(stated.totalUsd) };
  credits.settle(job, cost.credits, isFree);
  usd.settle(job, cost.usd, isFree);
  if (!isFree && cost.credits === null && cost.usd === null) return;
  told.jobs += 1;
  told.credits = exact(told.credits + (cost.credits ?? 0));
  told.usd = exact(told.usd + (cost.usd ?? 0));
}

/** A submission by its number. */
interface Sent {
  job: number;
  workerId: string;
  price: Price;
  /** null until it is accepted, and in variant B. */
  estimatedCredits: number | null;
}

interface SpendingLedger {
  /** Accepted jobs by their identifiers. */
  open: Map<string, Sent>;
  credits: UnitBudget;
  usd: UnitBudget;
}

function accept(sent: Sent, exchange: Exchange, { open, credits, usd }: SpendingLedger): void {
  const { job } = sent;
  const { value, variant } = decodeAccepted(jsonBody(exchange));
  sent.estimatedCredits = amountIn(value?.estimatedCredits);
  if (value?.id != null) open.set(value.id, sent);
  credits.told(job, sent.estimatedCredits);
  usd.told(job, null);
  // The one variant bills in credits, the other in USD. Spec §2.5, §2.8.
  if (variant === "A") usd.unstated(job);
  if (variant === "B") credits.unstated(job);
}

/** Ours: less is rounding. */
const DEARER_SHARE = 0.01;
/** Ours: an estimate that is off by more is in another unit, or of another job. */
const ESTIMATE_FACTOR_MAX = 3;

/** What a job was to cost: its worker's price in USD, and its own estimate in credits. */
interface Expected {
  price: Price;
  estimatedCredits: number | null;
}

/**
 * Tells of each worker once whose jobs cost more than its price, or than their estimate: discounts
 * and plans are open, and an estimate may be off. Variant A bills in credits, which have no stated
 * price. Spec §2.2, §2.4.
 */
function dearRuns(tell: (text: string) => void) {
  const told = new Set<string>();
  return (workerId: string, expected: Expected, { cost }: Job): void => {
    const text = overPrice(expected, cost) ?? overEstimate(expected, cost);
    if (text === null || told.has(workerId)) return;
    told.add(workerId);
    tell(`a run of "${workerId}" cost ${text}`);
  };
}

function overPrice({ price: { usd } }: Expected, { runUsd, billingMode }: Job["cost"]) {
  if (usd === null || runUsd === null || billingMode !== PER_RUN) return null;
  return runUsd > usd * (1 + DEARER_SHARE) ? `${runUsd} USD; its price is ${usd} USD` : null;
}

function overEstimate({ estimatedCredits: estimate }: Expected, { credits }: Job["cost"]) {
  if (estimate === null || estimate === 0 || credits === null) return null;
  const isFar = credits > estimate * ESTIMATE_FACTOR_MAX;
  return isFar ? `${credits} credits; its estimate was ${estimate}` : null;
}
