/**
 * timeout.free over two runs of a gate: jobs that had timed out, and had cost nothing by the end of
 * their own run, were charged before the load began. The balance tells it only where nothing else
 * was submitted on the account, and it fell by the price of exactly all of them. Spec §1.4.
 */

import type { Amounts } from "../contract/balance.ts";
import { fallsBetween, pathsMoved } from "../contract/balance.ts";
import { jobIn } from "../contract/decode/job.ts";
import type { EvidenceRecord } from "../contract/evidence.ts";
import { rounded } from "../contract/figures.ts";
import type { QuietReadings } from "../contract/judges/load/accounts.ts";
import type { BalanceInput } from "../contract/judges/timeout/balance.ts";
import { judgeBalance } from "../contract/judges/timeout/balance.ts";
import type { LimitedJob } from "../contract/judges/timeout/limited-job.ts";
import type { TimeoutTrial } from "../contract/judges/timeout/trial.ts";
import type { ObservationKind } from "../contract/observation.ts";
import { valuesOf } from "../contract/observation.ts";
import type { PlanKey } from "../contract/run-plan.ts";
import type { EndState } from "../contract/states.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";

const PROMISE = "timeout.free";

/** Ours: others on a quiet account hardly spend what so many jobs cost, no more and no less. */
const TIMEOUTS_MIN = 20;
/** Ours: sums are off by their rounding, and by far less than one job's price. */
const SAME_SHARE_OF_JOB = 0.05;

type Run = Pick<ScenarioEvidence, "records" | "again">;

/** Broken or nothing. */
export function chargedLate(runs: readonly Run[], keys: readonly PlanKey[]): readonly Finding[] {
  const [trial, ...others] = seenIn(runs, "timeout.trial");
  const [accounts] = seenIn(runs, "soak.accounts");
  if (trial === undefined || others.length > 0) return [];
  const name = trial.beyond[0]?.history.submission.key;
  const account = keys.find((key) => key.name === name)?.account ?? null;
  const readings = account === null ? undefined : accounts?.[account];
  if (account === null || readings === undefined) return [];
  return isAlone(readings, account) ? judge(trial, readings) : [];
}

/** Of first runs: a second one comes after the load. */
function seenIn<Kind extends ObservationKind>(runs: readonly Run[], kind: Kind) {
  const records = runs.flatMap((run): readonly EvidenceRecord[] =>
    run.again === null ? run.records : [],
  );
  const observations = records.filter((record) => record.type === "observation");
  return valuesOf(observations, kind);
}

/** Whether one run submitted on the account before the load; others came before that one. */
function isAlone({ earlier = [] }: QuietReadings, account: string): boolean {
  const later = earlier.filter(({ key }) => key !== "");
  return later.length === 1 && later[0]?.account === account;
}

function judge(trial: TimeoutTrial, { before }: QuietReadings): readonly Finding[] {
  const [balance, ...others] = trial.balances;
  const ended = [...trial.beyond, ...trial.below].filter((job) => endOf(job) === "timeout");
  const timeouts = new Set(ended.map(({ history }) => history.issuedId)).size;
  const price = priceOf(trial.below);
  if (balance === undefined || others.length > 0 || !isFree(balance)) return [];
  const wave = balance.waves.at(-1);
  if (wave === undefined || price === null || timeouts < TIMEOUTS_MIN) return [];
  const { quiet } = before;
  const moving = pathsMoved(quiet.before, quiet.after);
  const falls = Object.entries(fallsBetween(wave.after, before.amounts));
  const perCost = perCostOf(balance);
  const found = falls.find(([path, fall]) => {
    const perJob = price * (perCost[path] ?? 0);
    const isSame = Math.abs(fall - timeouts * perJob) < SAME_SHARE_OF_JOB * perJob;
    return isSame && !moving.includes(path);
  });
  if (found === undefined) return [];
  const [path, fall] = found;
  const fell = `${path} fell by ${rounded(fall, 6)}`;
  const what = `${fell} after ${timeouts} jobs had timed out for nothing`;
  const why = "the price of all of them, and no other job ran on the account; promised 0";
  const exchanges = [...wave.exchanges.slice(-1), ...before.exchanges.slice(0, 1)];
  const evidence = { samples: timeouts, faults: timeouts, price, fall };
  return [broken(PROMISE, `${what}: ${why}`, { evidence, exchanges })];
}

/** By the end of their run the balance had fallen by nothing but what other jobs cost. */
function isFree(balance: BalanceInput): boolean {
  return judgeBalance(balance)?.high === 0;
}

function perCostOf({ calibration }: BalanceInput): Amounts {
  if (calibration === null) return {};
  const { before, after, cost } = calibration;
  const falls = Object.entries(fallsBetween(before, after));
  return Object.fromEntries(falls.map(([path, fall]) => [path, fall / cost]));
}

/** What each completed job of the same worker cost; null where they differ, or none told it. */
function priceOf(below: readonly LimitedJob[]): number | null {
  const costs = below.flatMap((job) => {
    const cost = endOf(job) === "completed" ? lastOf(job)?.cost : undefined;
    return cost?.credits ?? cost?.totalUsd ?? [];
  });
  const [price] = costs;
  return price !== undefined && price > 0 && costs.every((each) => each === price) ? price : null;
}

function endOf(job: LimitedJob): EndState | null {
  const state = lastOf(job)?.state ?? null;
  return state === "timeout" || state === "completed" ? state : null;
}

function lastOf({ history }: LimitedJob) {
  return jobIn(history.polls.at(-1));
}
