/** The whole trial of a worker's limit: calibration, a wave of jobs, the balance around them. */

import { movementOf } from "../../contract/balance/changes.ts";
import type { AccountReading } from "../../contract/balance/read.ts";
import type { BalanceInput, BalanceSpan } from "../../contract/balance/spans.ts";
import { chargedTwiceIn, hasRisen, restedMsOf } from "../../contract/balance/spans.ts";
import { COST_DUE_MS } from "../../contract/judges/job/shape.ts";
import { hasUnexplainedFall } from "../../contract/judges/timeout/balance.ts";
import type { LimitedJob } from "../../contract/judges/timeout/limited-job.ts";
import type { TimeoutTrial } from "../../contract/judges/timeout/trial.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import { jobBetween, readAccount, readUntil, settled, settledCost } from "../client/account.ts";
import type { Context } from "../client/context.ts";
import { poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import type { WaveSetup } from "./wave.ts";
import { limitedJobs, runWave } from "./wave.ts";

/** Ours: many at once, as limits slip when many timers are due together. */
const JOBS: Readonly<Record<RunPlan["profile"], number>> = { quick: 12, standard: 30, soak: 30 };
const JOBS_BELOW = 3;
/** Ours: a second reading of the balance takes fewer. */
const CONFIRMING_JOBS = 6;
/** Ours: a budget too small for both spares the jobs beside those that exceed the limit. */
const SMALL_BUDGET_JOBS = 8;
/** Ours: a countdown among the credits tells whole seconds; it must show in the quiet span. */
const QUIET_MS = 1_000;
/** Ours: what a wave takes beside the limit: queueing, settling, in stated time. */
const WAVE_MARGIN_MS = 15_000;

export interface Trial extends Pick<TimeoutTrial, "beyond" | "below"> {
  /** null where nobody read it. */
  balance: BalanceInput | null;
}

/** `balance`: whether the account may be watched, as nobody else of this run submits on it. */
export async function runTrial(
  setup: WaveSetup,
  balance: { watched: boolean; calibrator: Submission | null },
): Promise<Trial> {
  const { context } = setup;
  const roomy = context.spending.left() >= SMALL_BUDGET_JOBS;
  const calibrated = balance.watched && roomy ? await calibrate(context, balance.calibrator) : null;
  const before = calibrated === null ? null : await readAccount(context);
  const left = context.spending.left();
  const belowMax = Math.min(roomy ? JOBS_BELOW : 0, left);
  const most = Math.min(JOBS[context.plan.profile], Math.max(1, left - belowMax));
  const wave = await runWave(setup, { beyond: most, below: belowMax });
  const jobs = [...wave.beyond, ...wave.below];
  const others = jobs.filter(({ end }) => end?.state !== "timeout");
  const costs = await Promise.all(others.map((job) => settledCost(context, job)));
  const knownCost = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const seenAt = (after: AccountReading): BalanceInput | null => {
    if (calibrated === null || before === null) return null;
    const counts = { timeouts: timeoutsAmong(jobs), knownCost };
    return { calibration: calibrated, waves: [spanOf(before, after, counts)], quiet: [] };
  };
  const after = await readAgain(setup, jobs, calibrated !== null);
  await setup.lag.hearAll();
  const beyond = limitedJobs(setup, wave.beyond);
  const below = limitedJobs(setup, wave.below);
  const seen = seenAt(after);
  if (seen === null || timeoutsAmong(jobs) === 0 || jobs.some(isOpen)) {
    return { beyond, below, balance: null };
  }
  if (hasUnexplainedFall(seen, heldMsIn(setup)) || hasRisen(seen)) {
    const confirmed = await confirm(setup, seen, after);
    return { beyond: [...confirmed.jobs, ...beyond], below, balance: confirmed.seen };
  }
  const isDouble = chargedTwiceIn(seen).length > 0;
  return { beyond, below, balance: isDouble ? await rested(setup, seen, after) : seen };
}

/** What fell by too much may be a price that is held, or others' use: that shows at rest. */
async function rested(
  setup: WaveSetup,
  seen: BalanceInput,
  before: AccountReading,
): Promise<BalanceInput> {
  const after = await readAtRest(setup, before);
  if (after === before) return seen;
  return { ...seen, quiet: [spanOf(before, after, { timeouts: 0, knownCost: 0 })] };
}

/** How long a price may be held. */
function heldMsIn({ context }: WaveSetup): number {
  return ownMs(context.plan.times, COST_DUE_MS);
}

/**
 * Once no price is held any more, or at least none of the first jobs, which ended so long before;
 * without the time to wait for either, what was read before.
 */
async function readAtRest(
  setup: WaveSetup,
  before: AccountReading,
  firstEndedMs = 0,
): Promise<AccountReading> {
  const { world, deadlineAtMs } = setup.context;
  const heldMs = heldMsIn(setup);
  const waits = [heldMs, Math.max(0, heldMs - firstEndedMs)];
  const waitMs = waits.find((ms) => world.now() + ms <= deadlineAtMs);
  if (waitMs === undefined) return before;
  await world.delay(waitMs);
  return await readAccount(setup.context);
}

function hasRoomForAnother({ context, bounds }: WaveSetup): boolean {
  const neededMs = bounds.limitMs + bounds.lateMs + ownMs(context.plan.times, WAVE_MARGIN_MS);
  return (
    context.world.now() + neededMs < context.deadlineAtMs &&
    context.spending.left() >= SMALL_BUDGET_JOBS
  );
}

/**
 * The account, when charges are booked; then each ended job once more. Jobs that cost are no sign
 * of when: of all that is booked each 10 s, what ended a moment before may be charged at once. So
 * it is read for as long as may be, in which a price that is held may be given back as well.
 */
async function readAgain(
  { context }: WaveSetup,
  jobs: readonly FollowedJob[],
  isWatched = true,
): Promise<AccountReading> {
  await settled(context);
  const read = () => readAccount(context);
  const after = await readUntil(context, read, () => !isWatched);
  await Promise.all(
    jobs.filter(({ endSeenAtMs }) => endSeenAtMs !== null).map((job) => poll(context, job)),
  );
  return after;
}

/**
 * A quiet span and another wave, of jobs that time out and nothing else. What that takes and
 * nothing explains is waited for once more, as a price that is held may be given back.
 */
async function confirm(
  setup: WaveSetup,
  seen: BalanceInput,
  before: AccountReading,
): Promise<{ seen: BalanceInput; jobs: readonly LimitedJob[] }> {
  if (!hasRoomForAnother(setup)) return { seen, jobs: [] };
  await setup.context.world.delay(QUIET_MS);
  const rested = await settledReading(setup.context);
  const quiet = [spanOf(before, rested, { timeouts: 0, knownCost: 0 })];
  const { beyond } = await runWave(setup, { beyond: CONFIRMING_JOBS, below: 0 });
  const after = await readAgain(setup, beyond);
  await setup.lag.hearAll();
  const jobs = limitedJobs(setup, beyond);
  if (beyond.some(isOpen)) return { seen: { ...seen, quiet }, jobs };
  const wave = spanOf(rested, after, { timeouts: timeoutsAmong(beyond), knownCost: 0 });
  const both = { ...seen, quiet, waves: [...seen.waves, wave] };
  const heldMs = heldMsIn(setup);
  if (!hasUnexplainedFall(both, heldMs)) return { seen: both, jobs };
  const laterAt = (at: AccountReading): BalanceInput => {
    return { ...both, quiet: [...quiet, spanOf(after, at, { timeouts: 0, knownCost: 0 })] };
  };
  const read = () => settledReading(setup.context);
  const isTold = (at: AccountReading) => !hasUnexplainedFall(laterAt(at), heldMs);
  const last = await readUntil(setup.context, read, isTold);
  if (isTold(last)) return { seen: laterAt(last), jobs };
  return { seen: laterAt(await readAtRest(setup, last, restedMsOf(laterAt(last)))), jobs };
}

/** Whether a job may still be charged, or be charged for something else. */
function isOpen(job: FollowedJob): boolean {
  return job.endSeenAtMs === null;
}

function timeoutsAmong(jobs: readonly FollowedJob[]): number {
  return jobs.filter(({ end }) => end?.state === "timeout").length;
}

/** Waits until charges are booked, then reads. */
async function settledReading(context: Context): Promise<AccountReading> {
  await settled(context);
  return await readAccount(context);
}

/** Runs one job; null where it told no cost, or could not be run. */
async function calibrate(
  context: Context,
  submission: Submission | null,
): Promise<BalanceInput["calibration"]> {
  if (submission === null) return null;
  const seen = await jobBetween(context, submission, () => readAccount(context));
  if (seen === null || seen.cost === null) return null;
  const { job, before, after, cost } = seen;
  if (Object.keys(before.amounts).length === 0) return null;
  const unit = job.end?.variant === "A" ? "credits" : "usd";
  return { before: before.amounts, after: after.amounts, cost, unit };
}

function spanOf(
  before: AccountReading,
  after: AccountReading,
  jobs: { timeouts: number; knownCost: number },
): BalanceSpan {
  const exchanges = [...before.exchanges, ...after.exchanges];
  return { ...movementOf(before, after), ...jobs, exchanges };
}
