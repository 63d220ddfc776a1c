/**
 * What the webhooks of a run came to, worked out once for all of their judges: the attempts of each
 * job, what was due after each, and how the job ended. Spec §6.
 */

import type { Job } from "../../decode/job-types.ts";
import type { Delivery } from "../../jobs/delivery.ts";
import type { Range } from "../../judging/claim.ts";
import type { WaitBounds } from "../../run/run-plan.ts";
import type { EndState } from "../../states.ts";
import type { Span } from "../../time/spans.ts";
import { overlapMs } from "../../time/spans.ts";
import { precisionMs, utc } from "../../time/timestamps.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";

export interface Attempt {
  each: WatchedJob;
  /** From 1; of a job whose first attempt was refused, how many came before it is unknown. */
  number: number;
  /** How many before it never reached the receiver, though they were sent. */
  unseen: number;
  delivery: Delivery;
  /** As JSON; undefined when it is none, was cut, or nests too deep. */
  body: unknown;
  /** From its arrival until the whole answer is there, by its script. */
  takesMs: number;
  /** When it was over for its sender, at the latest. */
  overAtMs: number;
  /** What is promised to pass before the next one, should it fail; null after the last one. */
  wait: WaitBounds | null;
  next: Attempt | null;
  /** What passed until the next one arrived: since it was over, and since it had arrived itself. */
  waitedMs: Range | null;
  /** The machine's worst lag meanwhile, as in `WebhookCase.lagsMs`; 0 where that is not known. */
  lagMs: number;
}

export interface WatchedJob extends WebhookCase {
  attempts: readonly Attempt[];
  /** As the last poll showed it in its end; null when none did. */
  endedJob: Job | null;
  /**
   * As it was seen to end, or else as its webhook tells; null where neither is so. How its worker's
   * jobs usually end tells nothing: it may have been cancelled after all, or have run for too long.
   */
  end: EndState | null;
}

export interface WebhookTimeline extends WebhookRun {
  cases: readonly WatchedJob[];
  attempts: readonly Attempt[];
  /** Those whose number is known. */
  numbered: readonly Attempt[];
  /** Of these, those after which a sender has to try again. */
  failed: readonly Attempt[];
  /** How many attempts in all never reached the receiver, by the schedule of those after them. */
  unseen: number;
  /** Jobs whose first attempts were refused. */
  refused: readonly WatchedJob[];
  /** Ended jobs whose first delivery nothing of ours kept away. */
  ended: readonly WatchedJob[];
  /** When answers that were held back may have kept a sender from sending. */
  held: readonly Span[];
  /** When nothing of the service went on. */
  still: readonly Span[];
  /** When one may not have sent for either. */
  unfree: readonly Span[];
}

/** When it ended by its own time, on our clock; null: it dates no end, or the offset is unknown. */
export function endedAtMs({ endedJob }: WatchedJob, offsetMs: number | null): number | null {
  const finished = endedJob?.finishedAt;
  return finished == null || offsetMs === null ? null : finished.ms - offsetMs;
}

/** From the last answer to the end of the watch. */
export function watchedMs(each: WebhookCase): number {
  const last = each.deliveries.at(-1);
  return last === undefined ? 0 : each.watchedUntilMs - (last.answeredAtMs ?? last.arrivedAtMs);
}

/** "job_1, attempt 2 at 2026-01-01T00:00:00.000Z", as a summary names the first of its jobs. */
export function nameOf({ each, number, delivery }: Attempt): string {
  return `${each.jobId}, attempt ${number} at ${utc(delivery.arrivedAtMs)}`;
}

/** Of that time, in which nothing that is known of kept the sender from sending. */
export function freeMs({ unfree }: Pick<WebhookTimeline, "unfree">, time: Span): number {
  return time.toMs - time.fromMs - overlapMs(unfree, time);
}

/** Whether it was watched for so long after its end was known, while its webhook could be sent. */
export function isSettled(
  run: WebhookTimeline,
  { endKnownAtMs, watchedUntilMs }: Pick<WebhookCase, "endKnownAtMs" | "watchedUntilMs">,
  neededMs: number,
): boolean {
  if (endKnownAtMs === null) return false;
  return freeMs(run, { fromMs: endKnownAtMs, toMs: watchedUntilMs }) >= neededMs;
}

/** How much later after its job's end it first came than that share of all; 0: not known. */
export function lateAfterEndMs(run: WebhookTimeline, each: WatchedJob, share: number): number {
  const own = lagAfterEnd(each);
  const others = run.ended.flatMap((other) => lagAfterEnd(other) ?? []);
  const usual = [...others].sort((a, b) => a.most - b.most)[Math.floor(others.length * share)];
  return own === null || usual === undefined ? 0 : Math.max(0, own.least - usual.most);
}

/**
 * From the end to the arrival, by two clocks whose difference is the same for all jobs; an end that
 * is told in whole seconds may have been later than told.
 */
function lagAfterEnd(each: WatchedJob): { least: number; most: number } | null {
  const arrivedAtMs = each.deliveries[0]?.arrivedAtMs;
  const finished = each.endedJob?.finishedAt;
  if (arrivedAtMs === undefined || finished == null) return null;
  const most = arrivedAtMs - finished.ms;
  return { least: most - precisionMs(finished), most };
}
