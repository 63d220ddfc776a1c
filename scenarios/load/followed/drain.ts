/** After the last submission: waits for the jobs, within bounds, and says what became of them. */

import { jobIn } from "../../../contract/decode/job.ts";
import type { Job } from "../../../contract/decode/job-types.ts";
import { COST_DUE_MS, lacksCost } from "../../../contract/judges/job/shape.ts";
import { addViolation } from "../../../contract/judges/load/violations.ts";
import type { RunPlan } from "../../../contract/run/run-plan.ts";
import { isWaiting } from "../../../contract/states.ts";
import { pollUntil } from "../../world/poll-until.ts";
import { judgeInPassing, passBy, pollLastInPassing } from "../in-passing.ts";
import { eachByKey } from "../offered/requests.ts";
import type { Soak } from "../soak.ts";
import { letTurns } from "../turns.ts";
import { takeMissedRetries } from "../webhooks/retries.ts";
import { closeEnded, closeLost, takeTimeout } from "./closing.ts";
import type { Entry } from "./ledger.ts";
import { lineOf } from "./ledger.ts";
import { deadlineOf, limitOf, machineSlackMs } from "./timing.ts";
import { holdUnshown } from "./unshown-ends.ts";

/** Ours: the longest wait for jobs after the last submission. */
export const DRAIN_MS_MAX: Readonly<Record<RunPlan["profile"], number>> = {
  quick: 45_000,
  standard: 180_000,
  soak: 900_000,
};

const POLL_MS = 200;
/** Ours: a last poll of so many jobs, over at most this time, tells enough of a service. */
const LAST_POLLS_MAX = 2_000;
const LAST_POLLS_MS_MAX = 60_000;
/** Ours: jobs that are not found are polled once more, after the span that makes it sure. */
const SECOND_POLL_MS = 1_200;
/** Ours: with the last polls before them, well within what a soak is given for its end. */
const TURNS_MS_MAX = 45_000;
const POLLS_AFTER_MS_MAX = 30_000;
/** Ours: a run this far beyond its limit is not merely late. */
const RUNAWAY_MS_MIN = 3_000;

/** Ends with an empty ledger, or with jobs of which nothing more is to be expected in time. */
export async function drain(soak: Soak): Promise<void> {
  const { context } = soak;
  const { world } = context;
  const untilMs = world.now() + DRAIN_MS_MAX[soak.plan.profile];
  await pollUntil(world, {
    ask: () => (world.now() < untilMs ? isWorthWaiting(soak) : isAnyCostDue(soak)),
    isEnough: (is) => !is || context.isGone,
    // The last jobs to end may tell what they cost later yet.
    untilMs: untilMs + COST_DUE_MS,
    waitMs: () => POLL_MS,
  });
  await pollLast(soak);
  const passing = await letOthersPass(soak);
  await pollLastInPassing(soak);
  await holdUnshown(soak);
  const last = { passing, isIdle: isIdle(soak) };
  for (const entry of [...soak.ledger.open.values()]) conclude(soak, entry, last);
  takeMissedRetries(soak);
  await judgeInPassing(soak);
}

function isWorthWaiting(soak: Soak): boolean {
  const nowMs = soak.context.world.now();
  for (const entry of soak.ledger.open.values()) {
    if (entry.standing === "sent" || entry.end !== null) return true;
    if (nowMs < Math.max(deadlineOf(soak, entry), runawayAtMs(soak, entry))) return true;
  }
  return false;
}

function isAnyCostDue(soak: Soak): boolean {
  return [...soak.ledger.open.values()].some(({ end }) => end !== null && lacksCost(end));
}

/** When a job that was seen running will have run for so long that it is not merely late. */
function runawayAtMs(soak: Soak, { runningSeen, mixPart }: Entry): number {
  if (runningSeen === null) return 0;
  return runningSeen.receivedAtMs + runMsMax(soak, mixPart.worker.id);
}

function runMsMax(soak: Soak, workerId: string): number {
  const slackMs = machineSlackMs(soak);
  return limitOf(soak, workerId) + RUNAWAY_MS_MIN + slackMs;
}

async function pollLast(soak: Soak): Promise<void> {
  const untilMs = soak.context.world.now() + LAST_POLLS_MS_MAX;
  const waiting = () => [...soak.ledger.open.values()].filter(isUnended).slice(0, LAST_POLLS_MAX);
  await askAll(soak, waiting(), untilMs);
  const missing = waiting().filter((entry) => entry.missing.length > 0);
  if (missing.length === 0) return;
  await soak.context.world.delay(SECOND_POLL_MS);
  await askAll(soak, missing, untilMs);
}

/** Lines whose fresh jobs had their turns while nothing else left the queue. */
async function letOthersPass(soak: Soak): Promise<ReadonlySet<string>> {
  const untilMs = soak.context.world.now() + TURNS_MS_MAX;
  const queued = [...soak.ledger.open.values()].filter(isQueued);
  const waiting = queued.filter((entry) => isOverdueInQueue(soak, entry));
  if (waiting.length === 0) return new Set();
  const passing = await letTurns(soak, waiting, untilMs);
  await askAll(soak, queued.slice(0, LAST_POLLS_MAX), untilMs + POLLS_AFTER_MS_MAX);
  // A backlog that shrinks may have any order: those at its end have their turn yet.
  return queued.every(isQueued) ? passing : new Set();
}

function isOverdueInQueue(soak: Soak, entry: Entry): boolean {
  return isQueued(entry) && isOverdue(soak, entry);
}

function isOverdue(soak: Soak, entry: Entry): boolean {
  return (entry.lastSeen?.sentAtMs ?? 0) >= deadlineOf(soak, entry);
}

/** Whether what is left only waits: no job that runs keeps its place from it. */
function isIdle({ ledger }: Soak): boolean {
  return [...ledger.open.values()].filter(isUnended).every(isQueued);
}

/** Whether it has waited for much longer than others live, where none has to run before it. */
function isLeftWaiting(soak: Soak, entry: Entry): boolean {
  const runMs = limitOf(soak, entry.mixPart.worker.id);
  return isQueued(entry) && (entry.lastSeen?.sentAtMs ?? 0) >= deadlineOf(soak, entry) - runMs;
}

function isQueued(entry: Entry): boolean {
  return isUnended(entry) && isWaiting(jobIn(entry.lastSeen)?.state);
}

function isUnended(entry: Entry): boolean {
  return entry.standing === "accepted" && entry.end === null;
}

/** Those that are not reached by then are not asked for. */
function askAll(soak: Soak, entries: readonly Entry[], untilMs: number): Promise<void> {
  return eachByKey(soak, entries, {
    isOver: () => soak.context.isGone || soak.context.world.now() >= untilMs,
    act: async (entry) => {
      if (!entry.isClosed) await soak.follower.askNow(entry);
    },
  });
}

/** What the jobs that are left are like: lines of those passed over; and as in `isIdle`. */
interface LastSeen {
  passing: ReadonlySet<string>;
  isIdle: boolean;
}

/** Puts what is still open into exactly one account of the ledger. */
function conclude(soak: Soak, entry: Entry, last: LastSeen): void {
  if (entry.standing !== "accepted") soak.ledger.close(entry);
  else if (entry.end !== null) closeEnded(soak, entry);
  else concludeUnended(soak, entry, last);
}

function concludeUnended(soak: Soak, entry: Entry, last: LastSeen): void {
  const { tally, ledger } = soak;
  const job = jobIn(entry.lastSeen);
  const standsStill = job === null ? null : stillStanding(soak, entry, job, last.passing);
  if (standsStill !== null) {
    if (entry.mixPart.part === "timeout" && tally.timeouts.timedOut === 0) takeTimeout(soak, entry);
    closeLost(soak, entry, standsStill, []);
    return;
  }
  ledger.close(entry);
  passBy(soak, entry);
  const isStartingUp = job?.state === "starting" && isOverdue(soak, entry);
  const isLeft = last.isIdle && isLeftWaiting(soak, entry);
  if (isStartingUp || isLeft || isOverdueInQueue(soak, entry)) tally.overdue += 1;
  if (job?.state != null) tally.inFlight += 1;
  else if (entry.lastSeen !== null) tally.unreadable += 1;
  else {
    const exchanges = entry.submission === null ? [] : [entry.submission];
    addViolation(tally.unanswered, { what: `${entry.id} could not be read`, exchanges });
  }
}

/** Why the job will not end any more, in words; null where it may yet. */
function stillStanding(
  soak: Soak,
  entry: Entry,
  job: Job,
  passing: ReadonlySet<string>,
): string | null {
  const { sentAtMs, mixPart, lastSeen } = entry;
  if (job.state === null || lastSeen === null) return null;
  if (lastSeen.sentAtMs < deadlineOf(soak, entry)) return null;
  const age = `${Math.round((lastSeen.sentAtMs - sentAtMs) / 100) / 10} s after its submission`;
  if (isWaiting(job.state)) {
    const isPassedOver = passing.has(lineOf(entry));
    return isPassedOver ? `still ${job.statusText} ${age}, while later ones had their turns` : null;
  }
  // No limit speaks of the time that a start-up takes. Spec §3.2.
  if (job.state === "starting") return null;
  const ranMs = runningForMs(entry, job);
  return ranMs > runMsMax(soak, mixPart.worker.id) ? `still ${job.statusText} ${age}` : null;
}

/** How long the job has run, by its own start time or by the polls that saw it run. */
function runningForMs({ submission, runningSeen, lastSeen }: Entry, job: Job): number {
  if (submission === null || lastSeen === null) return 0;
  const seenMs = runningSeen === null ? 0 : lastSeen.sentAtMs - runningSeen.receivedAtMs;
  if (job.startedAt === null || job.createdAt === null) return seenMs;
  const waitedMs = Math.max(0, job.startedAt.ms - job.createdAt.ms);
  return Math.max(seenMs, lastSeen.sentAtMs - submission.receivedAtMs - waitedMs);
}
