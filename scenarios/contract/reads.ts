/**
 * Reads each endpoint several times in a row, at the key's pace: one that has a limit of its own,
 * below the key's, refuses some of them. Spec §7, §8.
 */

import type { Asked } from "../../contract/judges/expected-status.ts";
import { awayBetween, tellingReads } from "../../contract/judges/read-again.ts";
import { declaredLimit } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Context } from "../client/context.ts";
import { LIMITED_REPEATS, withWitness } from "../client/context.ts";
import { HOLD_MS_MAX, pacePerSecond } from "../client/pacer.ts";
import { planKey } from "../client/plan.ts";
import type { Call } from "../client/send.ts";

/** Ours: more than an endpoint's own limit lets through at once, and 10 s of the slowest plan's. */
const READS_EACH = 10;
/** The same in parts, each before one read of each other worker, so that these have an order. */
const DETAIL_READS = [4, 3, 3];
/** Ours: two windows of a plan, within which a limiter may count what nobody here has seen. */
const AFTER_MS = 4_500;
/** A request that is refused waits as it is told, as often as it is repeated. */
const REFUSED_MS_MAX = LIMITED_REPEATS * HOLD_MS_MAX;

/**
 * The answers of each endpoint; how many are refused is counted by itself. Endpoints for which no
 * time is left are passed over: a scenario that is cut short has no findings at all.
 */
export async function readInRow(context: Context): Promise<readonly Asked[]> {
  const { caller: key, plan, world } = context;
  const limits = key === null ? null : planKey(plan, key);
  const reads: Asked[] = [];
  if (limits === null || declaredLimit(limits) === null) return reads;
  const takesMs = (count: number) => (count / pacePerSecond(limits)) * 1_000 + REFUSED_MS_MAX;
  const isDue = (atMs: number, count = READS_EACH) => atMs + takesMs(count) <= context.deadlineAtMs;
  const fromMs = Math.max(world.beganAtMs() + AFTER_MS, world.now());
  if (!isDue(fromMs)) return reads;
  await world.delay(fromMs - world.now());
  const lists = (["jobs", "workers", "credits", "deployments"] as const).map(
    (route): Call => ({ method: "GET", route, key }),
  );
  const workers = new Set(Object.values(plan.workers).map(({ id }) => id));
  const [detail, ...others] = [...workers].map(
    (id): Call => ({ method: "GET", route: "worker", parameter: id, key }),
  );
  const atOnce = (call: Call, count: number) =>
    Promise.all(Array.from({ length: count }, () => context.ask(call)));
  for (const call of lists) {
    if (!isDue(world.now())) continue;
    const answers = await atOnce(call, READS_EACH);
    // Lists of jobs are long, and were read before.
    if (call.route !== "jobs") reads.push(...(await tellingOf(context, call, answers)));
  }
  const areAllDue = isDue(world.now(), READS_EACH + DETAIL_READS.length * others.length);
  if (detail !== undefined && isDue(world.now())) {
    const answers: Exchange[] = [];
    for (const count of DETAIL_READS) {
      answers.push(...(await atOnce(detail, count)));
      if (areAllDue) await Promise.all(others.map((call) => context.ask(call)));
    }
    reads.push(...(await tellingOf(context, detail, answers)));
  }
  if (plan.publish !== null && isDue(world.now())) {
    reads.push(...(await readOwn(context, plan.publish.worker)));
  }
  return reads;
}

/**
 * One after the other, as their order tells: an own worker may be hidden until it is published, or
 * until somebody has looked at it, but it does not come and go.
 */
async function readOwn(context: Context, worker: string): Promise<readonly Asked[]> {
  const answers: Exchange[] = [];
  for (let n = 0; n < READS_EACH; n += 1) {
    answers.push(
      await context.ask({ method: "GET", route: "worker", parameter: worker, key: context.caller }),
    );
  }
  const attempts = awayBetween(answers);
  return attempts === null ? [] : [{ attempts }];
}

/** Reads that go out at once may all meet one moment: where each of them failed, one more tells. */
async function tellingOf(
  context: Context,
  call: Call,
  answers: readonly Exchange[],
): Promise<readonly Asked[]> {
  const telling = tellingReads(answers);
  if (telling === null) return [await context.askAgain(call)];
  return Promise.all(telling.map((each) => withWitness(context, call, each, [each])));
}
