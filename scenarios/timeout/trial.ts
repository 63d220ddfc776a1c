/** The whole trial of a worker's limit: calibration, rounds of jobs, the balance around them. */

import type { AccountReading } from "../../contract/balance.ts";
import type { BalanceInput } from "../../contract/judges/timeout/balance.ts";
import { hasUnexplainedFall } from "../../contract/judges/timeout/balance.ts";
import type { LimitedJob } from "../../contract/judges/timeout/rounds.ts";
import { needsAnotherRound, roundsNeeded } from "../../contract/judges/timeout/rounds.ts";
import type { TimeoutTrial } from "../../contract/judges/timeout/trial.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import { costOf } from "../client/account.ts";
import { poll } from "../client/follow.ts";
import type { FollowedJob } from "../client/followed-job.ts";
import type { Submission } from "../client/submit.ts";
import { calibrate, lookAtAccount, settledLook, stretchOf } from "./account.ts";
import type { Wave, WaveSetup } from "./wave.ts";
import { limitedJobs, runWave } from "./wave.ts";

/** Ours: many at once, as limits slip when many timers are due together. */
const JOBS: Readonly<Record<RunPlan["profile"], number>> = { quick: 12, standard: 30, soak: 30 };
const JOBS_BELOW = 3;
/** Ours: a second look at the balance takes fewer. */
const CONFIRMING_JOBS = 6;
/** Ours: a budget too small for both spares the jobs beside those that exceed the limit. */
const SMALL_BUDGET_JOBS = 8;
/** Ours: a countdown among the credits tells whole seconds; it must show in the quiet stretch. */
const QUIET_MS = 1_000;
/** Ours: rounds that are tried in all when their times leave a doubt. */
const ROUNDS_MAX = 4;
/** Ours: what a round takes beside the limit: queueing, settling, on the target's clocks. */
const ROUND_MARGIN_MS = 15_000;

export interface Trial extends Pick<TimeoutTrial, "beyond" | "below" | "rounds"> {
  /** null where nobody looked. */
  balance: BalanceInput | null;
}

/** `balance`: whether the account may be watched, as nobody else of this run submits on it. */
export async function runTrial(
  setup: WaveSetup,
  balance: { watched: boolean; calibrator: Submission | null },
): Promise<Trial> {
  const { context } = setup;
  const roomy = context.spending.left() >= SMALL_BUDGET_JOBS;
  const calibration =
    balance.watched && roomy ? await calibrate(context, balance.calibrator) : null;
  const before = calibration === null ? null : await lookAtAccount(context);
  const all = await runRounds(setup, roomy ? JOBS_BELOW : 0);
  const rounds = all.length;
  const jobs = all.flatMap(({ wave }) => [...wave.beyond, ...wave.below]);
  const after = await lookAgain(setup, jobs);
  const beyond = all.flatMap((round) => round.limited.map(asSeen));
  const below = all.flatMap((round) => round.limitedBelow.map(asSeen));
  const timeouts = timeoutsAmong(jobs);
  if (calibration === null || before === null || timeouts === 0 || jobs.some(isOpen)) {
    return { beyond, below, balance: null, rounds };
  }
  const costs = jobs.filter(({ end }) => end?.state !== "timeout").map(costOf);
  const knownCost = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const first = stretchOf(before, after, { timeouts, knownCost });
  const seen = { calibration, waves: [first], quiet: [] };
  if (!hasUnexplainedFall(seen)) return { beyond, below, balance: seen, rounds };
  const confirmed = await confirm(setup, seen, after);
  const confirming = confirmed.jobs.map(asSeen);
  return { beyond: [...confirming, ...beyond], below, balance: confirmed.seen, rounds };
}

/** Its history as judges read it, without what the scenario notes for itself. */
function asSeen({ history, lag, round }: LimitedJob): LimitedJob {
  const { submission, issuedId, workerId, polls, cancelRequests } = history;
  const { expected, gaveUpAtMs, deadlineMs, lostAfterMs = null } = history;
  const seen = { submission, issuedId, workerId, polls, cancelRequests };
  return { history: { ...seen, expected, gaveUpAtMs, deadlineMs, lostAfterMs }, lag, round };
}

interface Round {
  wave: Wave;
  limited: readonly LimitedJob[];
  limitedBelow: readonly LimitedJob[];
}

/** One round, and others as long as its times leave a doubt. */
async function runRounds(setup: WaveSetup, jobsBelow: number): Promise<readonly Round[]> {
  const { context, bounds } = setup;
  const rounds: Round[] = [];
  for (;;) {
    const below = Math.min(jobsBelow, context.spending.left());
    const room = Math.max(1, context.spending.left() - below);
    const wave = await runWave(setup, {
      beyond: Math.min(JOBS[context.plan.profile], room),
      below,
    });
    await setup.lag.hearAll();
    const number = rounds.length + 1;
    const limited = limitedJobs(setup, wave.beyond, number);
    rounds.push({ wave, limited, limitedBelow: limitedJobs(setup, wave.below, number) });
    const all = rounds.flatMap((round) => round.limited);
    const isClear = !needsAnotherRound(all, bounds, roundsNeeded(context.plan.timeScale));
    if (isClear || number === ROUNDS_MAX || !hasRoomForAnother(setup)) return rounds;
    context.progress("timeouts: their times leave a doubt, so the round is repeated");
  }
}

function hasRoomForAnother({ context, bounds }: WaveSetup): boolean {
  const neededMs = bounds.limitMs + bounds.lateMs + ROUND_MARGIN_MS * context.plan.timeScale;
  return (
    context.world.now() + neededMs < context.deadlineAtMs &&
    context.spending.left() >= SMALL_BUDGET_JOBS
  );
}

/** Each ended job once more, when charges are booked; then the account. */
async function lookAgain(
  { context }: WaveSetup,
  jobs: readonly FollowedJob[],
): Promise<AccountReading> {
  const look = await settledLook(context);
  await Promise.all(
    jobs.filter(({ endSeenAtMs }) => endSeenAtMs !== null).map((job) => poll(context, job)),
  );
  return look;
}

/** A quiet stretch and another round, of jobs that time out and nothing else. */
async function confirm(
  setup: WaveSetup,
  seen: BalanceInput,
  before: AccountReading,
): Promise<{ seen: BalanceInput; jobs: readonly LimitedJob[] }> {
  if (!hasRoomForAnother(setup)) return { seen, jobs: [] };
  await setup.context.world.delay(QUIET_MS);
  const rested = await settledLook(setup.context);
  const quiet = [stretchOf(before, rested, { timeouts: 0, knownCost: 0 })];
  const { beyond } = await runWave(setup, { beyond: CONFIRMING_JOBS, below: 0 });
  const after = await lookAgain(setup, beyond);
  await setup.lag.hearAll();
  const jobs = limitedJobs(setup, beyond, 0);
  if (beyond.some(isOpen)) return { seen: { ...seen, quiet }, jobs };
  const wave = stretchOf(rested, after, { timeouts: timeoutsAmong(beyond), knownCost: 0 });
  return { seen: { ...seen, quiet, waves: [...seen.waves, wave] }, jobs };
}

/** Whether a job may still be charged, or be charged for something else. */
function isOpen(job: FollowedJob): boolean {
  return job.endSeenAtMs === null;
}

function timeoutsAmong(jobs: readonly FollowedJob[]): number {
  return jobs.filter(({ end }) => end?.state === "timeout").length;
}
