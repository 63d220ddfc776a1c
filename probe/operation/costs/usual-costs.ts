/**
 * What the jobs of a canary usually cost. As long as it asks for the same, one job that costs
 * several times as much as most before it is charged wrongly, or prices have risen.
 */

import { jsonReader } from "../../../contract/answers/json-body.ts";
import type { Spent } from "../../../contract/limits/budget.ts";
import { exact } from "../../../contract/limits/budget.ts";
import { medianOf } from "../../../contract/numbers/figures.ts";

/** `ranMs`: how long the job ran, in milliseconds; null where nobody knows. */
export interface JobCost extends Pick<Spent, "credits" | "usd"> {
  ranMs: number | null;
}

/** Ours: what an input gives varies, and its cost with it; not by so much. */
const RAISED_FACTOR = 5;
/** Ours: who bills by the second bills as many times more for a longer run, as polls bound it. */
const BY_TIME_FACTOR = 2;
/** Ours: fewer may all have been charged as an exception. */
const KNOWN_MIN = 10;
/** Ours: after half as many jobs at a new price, that is what they usually cost. */
const KEPT_MAX = 60;

/** Ours: a discount of a week ends, and a tariff by hours does each day; neither is a rise. */
const PRICES_KEPT_MS = 8 * 24 * 3_600_000;

const PRICED = ["credits", "usd"] as const;

/** What was usual, and until when. */
interface Usual {
  amount: number;
  untilMs: number;
}

interface Known {
  order: string;
  jobs: readonly JobCost[];
  /** By unit the highest, and after each the highest of those later. */
  usual: Readonly<Record<(typeof PRICED)[number], readonly Usual[]>>;
}

const read = jsonReader();

/** All that a submission asks for, without what is its run's alone; null where nobody knows. */
export function orderOf(
  { workerId, mark }: { workerId: string; mark: string | null },
  requestBody: string | null | undefined,
): string | null {
  const sent = requestBody == null ? null : read({ body: requestBody });
  if (typeof sent !== "object" || sent === null) return null;
  const input = Object.entries(sent).filter(
    ([name, value]) => name !== "webhook" && value !== mark,
  );
  return JSON.stringify([workerId, input]);
}

export class UsualCosts {
  readonly #known = new Map<string, Known>();

  /** Learns what one more job cost; says how far that is beyond the usual, or null. */
  learn(canary: string, order: string, cost: JobCost, atMs: number): string | null {
    // What was free by rule tells no price.
    if (cost.credits <= 0 && cost.usd <= 0) return null;
    const kept = this.#known.get(canary);
    const known =
      kept?.order === order ? kept : { order, jobs: [], usual: { credits: [], usd: [] } };
    const { jobs } = known;
    const usual = jobs.length < KNOWN_MIN ? known.usual : usualBy(known, atMs);
    this.#known.set(canary, { order, jobs: [...jobs, cost].slice(-KEPT_MAX), usual });
    const usualMs = medianOf(jobs.flatMap(({ ranMs }) => ranMs ?? []));
    const longer = cost.ranMs !== null && usualMs > 0 ? cost.ranMs / usualMs : 1;
    const allowed = Math.max(RAISED_FACTOR, BY_TIME_FACTOR * longer);
    for (const unit of PRICED) {
      const { amount = 0 } = usual[unit][0] ?? {};
      const isRaised = amount > 0 && cost[unit] > allowed * amount;
      if (isRaised) return `${exact(cost[unit])} ${unit}, usually ${exact(amount)}`;
    }
    return null;
  }
}

function usualBy({ jobs, usual }: Known, atMs: number): Known["usual"] {
  const of = (unit: (typeof PRICED)[number]): readonly Usual[] => {
    const amount = medianOf(jobs.map((each) => each[unit]));
    const isKept = (each: Usual) => each.amount > amount && atMs - each.untilMs < PRICES_KEPT_MS;
    return [...usual[unit].filter(isKept), { amount, untilMs: atMs }];
  };
  return { credits: of("credits"), usd: of("usd") };
}
