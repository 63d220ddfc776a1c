/** Reads what may be an account's balance, also around a job of known cost. Spec §4.8. */

import { pathsMoved } from "../../contract/balance/changes.ts";
import type { AccountReading } from "../../contract/balance/read.ts";
import { readingOf } from "../../contract/balance/read.ts";
import { COST_SETTLED_MS, lacksCost } from "../../contract/judges/job/shape.ts";
import type { Context } from "./context.ts";
import { follow, followToEnd } from "./followed/follow.ts";
import type { FollowedJob } from "./followed/followed-job.ts";
import type { Submission } from "./submit.ts";
import { submit } from "./submit.ts";

/** Ours: time for a job to appear in a list and for a charge to be booked. */
const SETTLE_MS = 2_000;

export async function readAccount(
  context: Context,
  key: string | null = context.caller,
): Promise<AccountReading> {
  const routes = ["credits", "me"] as const;
  const asking = routes.map((route) => context.ask({ method: "GET", route, key }));
  return readingOf(await Promise.all(asking));
}

/** Until what was done before is booked. */
export function settled({ world }: Context): Promise<void> {
  return world.delay(SETTLE_MS);
}

/** A job, and the account before and after it. */
export interface JobBetween<Reading> {
  job: FollowedJob;
  before: Reading;
  after: Reading;
  /** null where it told none. */
  cost: number | null;
}

/**
 * When a job's charge is looked for: so long after its end, and once it has moved anything, or once
 * that moves no more: a price may be held first, and the charge be booked later.
 */
interface Patience {
  until: "moved" | "still";
  restMs: number;
  /** How long is waited once more where nothing has moved by then; left out: not at all. */
  lateMs?: number;
}

/** Runs one job between two readings; null where it could not be submitted. */
export async function jobBetween<Reading extends Pick<AccountReading, "amounts">>(
  context: Context,
  submission: Submission,
  read: () => Promise<Reading>,
  { until, restMs, lateMs = 0 }: Patience = { until: "moved", restMs: 0 },
): Promise<JobBetween<Reading> | null> {
  const before = await read();
  const job = await submit(context, submission);
  if (job === null) return null;
  await followToEnd(context, job);
  await settled(context);
  const cost = await settledCost(context, job);
  const isCharged = cost !== null && cost > 0;
  if (restMs > 0 && isCharged) await context.world.delay(restMs);
  const hasMoved = (seen: Reading) =>
    pathsMoved({ before: before.amounts, after: seen.amounts }).length > 0;
  const readOn = () => {
    const isStill = stillness();
    return readUntil(context, read, (seen, last) => {
      if (!isCharged) return true;
      const rests = isStill(seen, last);
      return hasMoved(seen) && (until === "moved" || rests);
    });
  };
  const after = await readOn();
  const seen = { job, before, after, cost };
  if (lateMs === 0 || !isCharged || hasMoved(after)) return seen;
  await context.world.delay(lateMs);
  return { ...seen, after: await readOn() };
}

/** Ours: a view that is cached for some seconds looks still to one reading more. */
const STILL_READS = 2;

/** Tells, asked at each reading, whether so many in a row showed no change to the one before. */
function stillness() {
  let still = 0;
  return (seen: Pick<AccountReading, "amounts">, last: Pick<AccountReading, "amounts"> | null) => {
    const hasMoved =
      last === null || pathsMoved({ before: last.amounts, after: seen.amounts }).length > 0;
    still = hasMoved ? 0 : still + 1;
    return still >= STILL_READS;
  };
}

/** Ours: charges are booked within some seconds, or not while anybody waits. */
const READS_MAX = 5;

/** Reads again, as charges may be booked late, until that is enough, or has gone on for long. */
export async function readUntil<Reading>(
  context: Context,
  read: () => Promise<Reading>,
  isEnough: (seen: Reading, last: Reading | null) => boolean,
): Promise<Reading> {
  let last: Reading | null = null;
  let seen = await read();
  for (let reads = 1; reads < READS_MAX && !isEnough(seen, last); reads += 1) {
    await settled(context);
    [last, seen] = [seen, await read()];
  }
  return seen;
}

/** What an ended job says that it cost, once it does. */
export async function settledCost(context: Context, job: FollowedJob): Promise<number | null> {
  const { end, endSeenAtMs } = job;
  if (end === null || endSeenAtMs === null || !lacksCost(end)) return costOf(job);
  const seen = await follow(context, job, {
    untilMs: endSeenAtMs + COST_SETTLED_MS,
    waitMs: () => SETTLE_MS,
    isEnough: (shown) => shown !== null && !lacksCost(shown),
  });
  return costOf({ end: seen });
}

/** What an ended job says that it cost, in its variant's unit. */
function costOf({ end }: Pick<FollowedJob, "end">): number | null {
  return end === null ? null : (end.cost.credits ?? end.cost.totalUsd);
}
