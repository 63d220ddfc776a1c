/** Jobs whose webhook goes to a port that is closed until their first delivery was refused. */

import type { ReceiverAccess } from "../../contract/delivery.ts";
import type { Context } from "../client/context.ts";
import { follow, givenUpAtMs } from "../client/follow.ts";
import { openRefusing } from "../client/receiver.ts";
import type { Watched } from "./watch.ts";

/** Ours: between two looks at jobs that run, on the service's clock and on ours. */
const LOOK_WAIT_MS = 1_000;
const LOOK_WAIT_MIN_MS = 100;
/** Ours: the port opens after the first attempt, and where it can before the first retry. */
const REFUSED_FOR_MS = 1_500;
const REFUSED_FOR_MIN_MS = 25;

/** Opens the port once all of them have ended and were tried; one that takes too long is left. */
export async function openAfterEnds(
  context: Context,
  access: ReceiverAccess,
  refused: readonly Watched[],
): Promise<void> {
  const { world } = context;
  if (refused.length === 0) return;
  const { timeScale } = context.plan;
  const waitMs = () => Math.max(LOOK_WAIT_MIN_MS, LOOK_WAIT_MS * timeScale);
  const running = refused.filter(({ job }) => job.issuedId !== null);
  await Promise.all(
    running.map(({ job }) => follow(context, job, { untilMs: givenUpAtMs(job), waitMs })),
  );
  await world.delay(Math.max(REFUSED_FOR_MIN_MS, REFUSED_FOR_MS * timeScale));
  await openRefusing(world, access);
}
