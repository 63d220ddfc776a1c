/**
 * Reads each endpoint several times in a row, at the key's pace: one that has a limit of its own,
 * below the key's, refuses some of them. Spec §7, §8.
 */

import type { Context } from "../client/context.ts";
import type { Call } from "../client/send.ts";

/** Ours: more than an endpoint's own limit lets through at once, and 10 s of the slowest plan's. */
const READS_EACH = 10;
/** Ours: two windows of a plan, within which a limiter may count what nobody here has seen. */
const AFTER_MS = 4_500;

/** What is answered is judged elsewhere; here only how many are refused. */
export async function readInRow(context: Context): Promise<void> {
  const { caller: key, plan, world } = context;
  if (key === null || world.now() > context.deadlineAtMs) return;
  await world.delay(Math.max(0, world.beganAtMs() + AFTER_MS - world.now()));
  const [worker] = Object.values(plan.workers);
  for (const route of ["jobs", "workers", "credits", "deployments"] as const) {
    await readAll(context, { method: "GET", route, key });
  }
  if (worker === undefined) return;
  await readAll(context, { method: "GET", route: "worker", parameter: worker.id, key });
}

async function readAll(context: Context, call: Call): Promise<void> {
  await Promise.all(Array.from({ length: READS_EACH }, () => context.ask(call)));
}
