/** Jobs whose webhook goes to a port that is closed until their first delivery was refused. */

import type { ReceiverAccess } from "../../contract/delivery.ts";
import { ownMs } from "../../contract/promised-times.ts";
import type { Context } from "../client/context.ts";
import { poll } from "../client/jobs.ts";
import { openRefusing } from "../client/receiver.ts";
import type { Watched } from "./watch.ts";

/** Ours: between two looks at jobs that run, in stated time. */
const LOOK_WAIT_MS = 1_000;
/** Ours: the port opens after the first attempt, and before the first retry; in stated time. */
const REFUSED_FOR_MS = 1_500;

/** Opens the port once all of them have ended and were tried. */
export async function openAfterEnds(
  context: Context,
  access: ReceiverAccess,
  refused: readonly Watched[],
): Promise<void> {
  const { world } = context;
  if (refused.length === 0) return;
  const { times } = context.plan;
  const isWaiting = (job: Watched) => isOpen(context, job);
  for (;;) {
    for (const job of refused.filter(isWaiting)) await poll(context, job.job);
    if (!refused.some(isWaiting) || world.now() > context.deadlineAtMs) break;
    await world.delay(ownMs(times, LOOK_WAIT_MS));
  }
  await world.delay(ownMs(times, REFUSED_FOR_MS));
  await openRefusing(world, access);
}

/** Whether its end is still to come; one that takes too long is not waited for. */
function isOpen({ world }: Context, { job }: Watched): boolean {
  if (job.issuedId === null || job.endSeenAtMs !== null) return false;
  return world.now() < job.submission.receivedAtMs + job.deadlineMs;
}
