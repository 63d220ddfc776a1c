/** Cancels the last jobs of a burst while they queue: their end is to be delivered, too. */

import { cancelCall, cancelCandidates } from "../client/cancel-request.ts";
import type { Context } from "../client/context.ts";
import { poll } from "../client/followed/follow.ts";
import type { Watched } from "./watch.ts";

/** Ours: how retries of their webhooks go is seen on some; and one may leave the queue before. */
const CANCELLED_JOBS = 3;
/** Ours: below that no queue is to be expected. */
const BURST_MIN = 6;
/** Ours: in which a cancel shows. */
const EFFECT_LAG_MS = 500;

/** Only with a method that is known: here is not the place to explore. */
export function canCancel({ plan }: Context): boolean {
  return plan.cancel !== null && plan.cancel.method !== "auto";
}

/** True when a job was seen cancelled; false where cancelling is unknown or came too late. */
export async function cancelLast(context: Context, burst: readonly Watched[]): Promise<boolean> {
  const request = cancelCandidates(context.plan)[0];
  const slow = burst
    .filter(({ spec, job }) => spec.part === "slow" && job.issuedId !== null)
    .sort((a, b) => a.job.submission.receivedAtMs - b.job.submission.receivedAtMs);
  if (!canCancel(context) || request === undefined || slow.length < BURST_MIN) return false;
  const chosen = slow.slice(-CANCELLED_JOBS).map(({ job }) => job);
  await Promise.all(
    chosen.map(async (job) => {
      const call = cancelCall(request, job.issuedId ?? "", context.caller);
      job.cancelRequests.push(await context.ask(call));
    }),
  );
  await context.world.delay(EFFECT_LAG_MS);
  await Promise.all(chosen.map((job) => poll(context, job)));
  return chosen.some(({ end }) => end?.state === "cancelled");
}
