/**
 * Asks just after retries are due. Where the service answers as soon as ever, a retry that is late
 * is late by itself; where it does not, all of it stands still, unless it answers for another job
 * meanwhile. What is asked for are jobs whose webhooks were taken: a poll of another may be what
 * makes the service look for its retry. Spec §6. They are asked for in turn, as each poll shows as
 * well what has become of an end that is up to minutes old. Spec §3.1, §4.4.
 */

import type { AnswerStep } from "../../contract/jobs/delivery.ts";
import { isHeldBack } from "../../contract/jobs/delivery.ts";
import { isFailure, takesMs } from "../../contract/judges/webhook/attempts.ts";
import { isSuccessStep } from "../../contract/judges/webhook/case.ts";
import { STILL_MS_MIN } from "../../contract/judges/webhook/standstill.ts";
import type { PromisedTimes } from "../../contract/run/run-plan.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import type { Context } from "../client/context.ts";
import { poll } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import { delayUntil } from "../world/world.ts";

/** Ours: in stated time, a quarter of what a wait may be late. */
const AFTER_DUE_MS = 500;
/** Ours: in stated time; retries that are due together need one poll. */
const SLOT_MS = 1_000;
/** Ours: answers that come so soon after one another leave no standstill between them. */
const WHILE_OPEN_MS = 0.8 * STILL_MS_MIN;

interface Due {
  atMs: number;
  /** No longer is what comes of it watched. */
  toMs: number;
}

export class DuePolls {
  readonly #context: Context;
  readonly #dues: Due[] = [];
  /** By slots of time since the epoch. */
  readonly #polls = new Map<number, Promise<void>>();
  readonly #taken: FollowedJob[] = [];
  /** What each slot's first poll asked for. */
  readonly #asked: FollowedJob[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /** For a job whose first delivery came then, and is answered by the script. */
  plan(job: FollowedJob, script: readonly AnswerStep[], time: { fromMs: number; toMs: number }) {
    if (isSuccessStep(script[0])) this.#taken.push(job);
    for (const dueMs of duesOf(script, this.#context.plan.times)) {
      const due = { atMs: time.fromMs + dueMs, toMs: time.toMs };
      this.#dues.push(due);
      this.#pollAfter(due);
    }
  }

  /** When all that were planned are answered, or given up. */
  async over(): Promise<void> {
    const { size } = this.#polls;
    await Promise.all(this.#polls.values());
    if (this.#polls.size > size) await this.over();
  }

  #pollAfter({ atMs: dueAtMs, toMs }: Due): void {
    const { plan, world, deadlineAtMs } = this.#context;
    const atMs = dueAtMs + ownMs(plan.times, AFTER_DUE_MS);
    const slot = Math.floor(atMs / ownMs(plan.times, SLOT_MS));
    if (atMs < world.now() || atMs >= Math.min(toMs, deadlineAtMs)) return;
    if (!this.#polls.has(slot)) this.#polls.set(slot, this.#pollAt(atMs));
  }

  /** What was held up with it is late by as much, and so are those after it. */
  async #pollAt(atMs: number): Promise<void> {
    const { plan, world } = this.#context;
    await delayUntil(world, atMs);
    const [first, second = first] = this.#inTurn();
    if (first === undefined || second === undefined || this.#context.isGone) return;
    this.#asked.push(first);
    const answered = poll(this.#context, first).then(() => world.now());
    const [answeredAtMs] = await Promise.all([answered, this.#pollUntil(answered, second)]);
    if (answeredAtMs - atMs < ownMs(plan.times, SLOT_MS)) return;
    const lateMs = answeredAtMs - atMs + ownMs(plan.times, AFTER_DUE_MS);
    for (const due of [...this.#dues]) {
      if (due.atMs > atMs) this.#pollAfter({ ...due, atMs: due.atMs + lateMs });
    }
  }

  /** Those of a part that was asked for least come first, and of these those that were. */
  #inTurn(): readonly FollowedJob[] {
    const askedFor = (is: (asked: FollowedJob) => boolean) => this.#asked.filter(is).length;
    const counted = this.#taken.map((job) => ({
      job,
      ofPart: askedFor(({ part }) => part === job.part),
      own: askedFor((asked) => asked === job),
    }));
    return counted.sort((a, b) => a.ofPart - b.ofPart || a.own - b.own).map(({ job }) => job);
  }

  /** One at a time: a service that stands still answers none, one that is slow here answers it. */
  async #pollUntil(answered: Promise<number>, other: FollowedJob): Promise<void> {
    const paused = () => this.#context.world.delay(WHILE_OPEN_MS);
    while ((await Promise.race([answered, paused()])) === undefined) {
      await poll(this.#context, other);
    }
  }
}

/**
 * After the first delivery, as long as attempts fail at once; of one that is held back by either
 * origin of its wait: from its start, where it is over by then, and from its end. An answer 200
 * that is held back is due itself: who stands still then misses it.
 */
function duesOf(script: readonly AnswerStep[], times: PromisedTimes): readonly number[] {
  const dues: number[] = [];
  let dueMs = 0;
  for (const [at, { promisedMs }] of times.webhookWaits.entries()) {
    const step = script[at] ?? script.at(-1);
    if (step === undefined) break;
    if (isSuccessStep(step) && isHeldBack(step)) dues.push(dueMs + takesMs(step));
    if (!isFailure(step, times)) break;
    if (isHeldBack(step)) {
      const tookMs = step.kind === "silent" ? times.webhookAnswerMs : takesMs(step);
      dues.push(dueMs + Math.max(tookMs, promisedMs), dueMs + tookMs + promisedMs);
      break;
    }
    dueMs += promisedMs;
    dues.push(dueMs);
  }
  return dues;
}
