/** How long jobs take, as far as this soak has learnt it, and when to ask for one. */

import { lagAllowanceMs, machineDoubt } from "../../../contract/judges/load/generator.ts";
import { hostLagOf } from "../../../contract/judges/load/reading.ts";
import type { LoadPart } from "../../../contract/run/run-plan.ts";
import { ownMs, RUN_LIMIT_DEFAULT_SECONDS } from "../../../contract/time/promised-times.ts";
import type { Soak } from "../soak.ts";
import { hasFeed, statedLimitMs } from "../soak.ts";
import type { Entry } from "./ledger.ts";

/** Ours: before anything is learnt, a short job is expected to take this long, stated time. */
const FIRST_GUESS_MS = 2_000;
/** Ours: where news of its end come, only a job that takes this many times as long is asked for. */
const OVERDUE_FACTOR = 3;
const OVERDUE_MS_MIN = 3_000;
/** Ours: a job that is not there yet is asked for again after this share of its age. */
const AGE_SHARE = { withNews: 0.5, withPolls: 0.35 };
const REPEAT_MS_MIN = { withNews: 1_000, withPolls: 250 };
const REPEAT_MS_MAX = 60_000;
/** Ours: a job of the sample is polled so often, at this share of its usual life. */
const SAMPLED_POLLS = 3;
const SAMPLED_SHARE = 0.25;
const SAMPLED_MS_MIN = 200;
/** Ours: of its limit; a second run that has begun by then differs from one that begins later. */
const MIDWAY_SHARE = 0.5;
/** Ours: queueing and lag beside the run itself, before a job counts as standing still. */
const DEADLINE_SLACK_MS = 10_000;

/** Age at which most jobs of the part have ended. */
function usualLifeMs({ tally, learnt, plan }: Soak, part: LoadPart, share: number): number {
  const lives = tally.lives[part];
  const life = lives === undefined ? null : learnt.at(lives, share);
  return life ?? ownMs(plan.times, FIRST_GUESS_MS);
}

/** Whether news of its end come without asking for it. */
function isFollowed(soak: Soak, { key }: Entry): boolean {
  return hasFeed(soak) || key.isListed;
}

/** When to ask for an accepted job for the first time. */
export function firstPollMs(soak: Soak, entry: Entry): number {
  const { sentAtMs, mixPart } = entry;
  const { part } = mixPart;
  if (entry.isSampled) return sentAtMs + usualLifeMs(soak, part, 0.5) * SAMPLED_SHARE;
  if (!isFollowed(soak, entry)) return sentAtMs + usualLifeMs(soak, part, 0.75);
  return Math.min(overdueMs(soak, entry), midwayMs(soak, entry));
}

/** When a job whose end news would tell has none that was expected. */
function overdueMs(soak: Soak, { sentAtMs, mixPart: { part } }: Entry): number {
  const usualMs = usualLifeMs(soak, part, 0.95);
  return sentAtMs + Math.max(OVERDUE_MS_MIN, OVERDUE_FACTOR * usualMs);
}

/** News tells of an end alone: a long job is asked for once on its way, too. */
function midwayMs(soak: Soak, { sentAtMs, mixPart: { part, worker } }: Entry): number {
  const limitMs = part === "timeout" ? statedLimitMs(soak, worker.id) : null;
  return limitMs === null ? Number.POSITIVE_INFINITY : sentAtMs + MIDWAY_SHARE * limitMs;
}

/** When to ask for a job again that has not ended; never later than its deadline. */
export function nextPollMs(soak: Soak, entry: Entry): number {
  const { world } = soak.context;
  const way = isFollowed(soak, entry) ? "withNews" : "withPolls";
  const ageMs = world.now() - entry.sentAtMs;
  const waitMs = Math.max(REPEAT_MS_MIN[way], ageMs * AGE_SHARE[way]);
  const repeatMs = world.now() + Math.min(REPEAT_MS_MAX, waitMs);
  if (entry.isSampled && entry.polls.length < SAMPLED_POLLS) {
    const usualMs = usualLifeMs(soak, entry.mixPart.part, 0.5);
    return world.now() + Math.max(SAMPLED_MS_MIN, usualMs * SAMPLED_SHARE);
  }
  const deadlineMs = deadlineOf(soak, entry);
  const isMidway = isFollowed(soak, entry) && midwayMs(soak, entry) <= world.now();
  const againMs = isMidway ? Math.max(repeatMs, overdueMs(soak, entry)) : repeatMs;
  return deadlineMs > world.now() ? Math.min(againMs, deadlineMs) : againMs;
}

/** When the job should have ended, however long it had to wait. */
export function deadlineOf(soak: Soak, { sentAtMs, mixPart }: Entry): number {
  const waitMs = OVERDUE_FACTOR * usualLifeMs(soak, mixPart.part, 0.99);
  const slackMs = machineSlackMs(soak);
  const waitUntilMs = sentAtMs + waitMs + slackMs + DEADLINE_SLACK_MS;
  return waitUntilMs + limitOf(soak, mixPart.worker.id);
}

/** The run limit of a worker, or what is taken for it where it tells none. */
export function limitOf(soak: Soak, workerId: string): number {
  return statedLimitMs(soak, workerId) ?? RUN_LIMIT_DEFAULT_SECONDS * soak.plan.times.secondMs;
}

/** Ours: on a machine that is no measure of anything, jobs and webhooks are waited for longer. */
const OVERLOADED_SLACK_MS = 10_000;
const SLACK_MS = 1_000;

/** How much longer than usual a job or a webhook may take for this machine's sake. */
export function machineSlackMs(soak: Soak): number {
  const nowMs = soak.context.world.now();
  if (soak.slack !== null && nowMs - soak.slack.atMs < SLACK_MS) return soak.slack.ms;
  const lag = hostLagOf(soak.tally);
  const overloadedMs = machineDoubt(lag) === null ? 0 : OVERLOADED_SLACK_MS;
  soak.slack = { atMs: nowMs, ms: lagAllowanceMs(lag.wholeMs) + overloadedMs };
  return soak.slack.ms;
}

/** Ours: stated time for a webhook whose first delivery failed, to the second retry; and lag. */
const WEBHOOK_GRACE_STATED_MS = 45_000;
const WEBHOOK_GRACE_MS = 5_000;

/** How late the deliveries of a busy service may be, which no part of the specification bounds. */
export function webhookGraceMs(soak: Soak): number {
  const ownGraceMs = ownMs(soak.plan.times, WEBHOOK_GRACE_STATED_MS) + WEBHOOK_GRACE_MS;
  return ownGraceMs + machineSlackMs(soak);
}
