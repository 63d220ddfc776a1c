/**
 * timeout.free beyond the run of the timeouts: jobs that had cost nothing by its end were charged
 * before a load began. The balance tells it only where nothing else was submitted on the account,
 * and it fell by the price of exactly all of them. Spec §1.4.
 */

import { fallOf, pathsMoved } from "../../balance/changes.ts";
import { balanceFactors } from "../../balance/unit-cost.ts";
import { jobIn } from "../../decode/job.ts";
import { rounded } from "../../numbers/figures.ts";
import type { Finding } from "../../verdict.ts";
import { broken } from "../../verdict.ts";
import type { QuietReading } from "../load/accounting/readings.ts";
import { judgeBalance } from "./balance.ts";
import type { LimitedJob } from "./limited-job.ts";
import type { TimeoutTrial } from "./trial.ts";

/** Ours: others on a quiet account hardly spend what so many jobs cost, no more and no less. */
const TIMEOUTS_MIN = 20;
/** Ours: sums are off by their rounding, and by far less than one job's price. */
const SAME_SHARE_OF_JOB = 0.05;

/** Broken or nothing, given what the account showed just before the load. */
export function judgeChargedLate(trial: TimeoutTrial, before: QuietReading): readonly Finding[] {
  const [balance, ...others] = trial.balances;
  const wave = balance?.waves.at(-1);
  // By the end of the run the balance had fallen by nothing but what other jobs cost.
  if (balance === undefined || others.length > 0 || judgeBalance(balance, 0)?.high !== 0) return [];
  const ended = [...trial.beyond, ...trial.below].filter((job) => lastOf(job)?.state === "timeout");
  const timeouts = new Set(ended.map(({ history }) => history.issuedId)).size;
  const price = priceOf(trial.below);
  if (wave === undefined || price === null || timeouts < TIMEOUTS_MIN) return [];
  const moving = pathsMoved(before.quiet);
  const since = { before: wave.after, after: before.amounts };
  const found = balanceFactors(balance.calibration).find(({ path, perCost }) => {
    const off = Math.abs(fallOf(path, since) - timeouts * price * perCost);
    return off < SAME_SHARE_OF_JOB * price * perCost && !moving.includes(path);
  });
  if (found === undefined) return [];
  const fall = fallOf(found.path, since);
  const fell = `${found.path} fell by ${rounded(fall, 6)}`;
  const what = `${fell} after ${timeouts} jobs had timed out for nothing`;
  const why = "the price of all of them, and no other job ran on the account; promised 0";
  const exchanges = [...wave.exchanges.slice(-1), ...before.exchanges.slice(0, 1)];
  const evidence = { samples: timeouts, faults: timeouts, price, fall };
  return [broken("timeout.free", `${what}: ${why}`, { evidence, exchanges })];
}

/** What each completed job of the same worker cost; null where they differ, or none told it. */
function priceOf(below: readonly LimitedJob[]): number | null {
  const costs = below.flatMap((job) => {
    const last = lastOf(job);
    return (last?.state === "completed" ? (last.cost?.credits ?? last.cost?.totalUsd) : null) ?? [];
  });
  const [price] = costs;
  return price !== undefined && price > 0 && costs.every((each) => each === price) ? price : null;
}

function lastOf({ history }: LimitedJob) {
  return jobIn(history.polls.at(-1));
}
