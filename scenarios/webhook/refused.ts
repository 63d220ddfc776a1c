/** Jobs whose webhook goes to a port that is closed until their first delivery was refused. */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { Context } from "../client/context.ts";
import { follow, givenUpAtMs } from "../client/followed/follow.ts";
import { openRefusing } from "../client/receiver.ts";
import type { Watched } from "./watch.ts";

/** Ours: from the last end of their jobs until the port opens, in stated time. */
const REFUSED_FOR_MS = 1_500;
/** Ours: between two polls of jobs that run, in stated time. */
const POLL_WAIT_MS = 1_000;

/**
 * Opens the port once all of them have ended and were tried, before the first retry; one that takes
 * too long is left.
 */
export async function openAfterEnds(
  context: Context,
  access: ReceiverAccess,
  refused: readonly Watched[],
): Promise<void> {
  const { world } = context;
  if (refused.length === 0) return;
  const { times } = context.plan;
  const waitMs = () => ownMs(times, POLL_WAIT_MS);
  const running = refused.filter(({ job }) => job.issuedId !== null);
  await Promise.all(
    running.map(({ job }) => follow(context, job, { untilMs: givenUpAtMs(job), waitMs })),
  );
  await world.delay(ownMs(times, REFUSED_FOR_MS));
  await openRefusing(world, access);
  for (const each of refused) each.openAtMs = world.now();
}
