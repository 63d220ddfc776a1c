/**
 * The one loop that asks for jobs: each when it is due, by a policy. A queue of times with one
 * timer, and for each key a line at its pace: thousands of jobs wait without a promise each.
 */

import { dueQueue } from "../../../contract/time/due-queue.ts";
import type { World } from "../../world/world.ts";
import type { Pacer } from "../pacer.ts";

export interface Followed {
  /** When it is asked for next; -Infinity while it is in line or on its way, null: not planned. */
  pollDueMs: number | null;
  /** Nothing more is asked for. */
  isClosed: boolean;
}

export interface FollowPolicy<Job extends Followed, Answer> {
  /** Asks for the job once. */
  ask(job: Job): Promise<Answer>;
  /** Takes the answer in; when to ask again, null where enough was seen or something else tells. */
  take(job: Job, answer: Answer): number | null;
  /** Whose turns it takes; null: asking takes its turn by itself. */
  pacerOf(job: Job): Pacer | null;
  /** What is due within so many milliseconds is polled together. */
  tickMs: number;
  /** No timer is longer: k6 ends with the last one. */
  timerMsMax: number;
}

type Due<Job> = { kind: "poll"; job: Job; dueMs: number } | { kind: "call"; callback: () => void };

const ON_ITS_WAY = Number.NEGATIVE_INFINITY;

export class Follower<Job extends Followed, Answer> {
  readonly #world: Pick<World, "now" | "delay">;
  readonly #policy: FollowPolicy<Job, Answer>;
  readonly #due = dueQueue<Due<Job>>();
  readonly #lines = new Map<Pacer, Job[]>();
  /** When the timer fires; Infinity without one. */
  #wakesAtMs = Number.POSITIVE_INFINITY;
  #tookAtMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(world: Pick<World, "now" | "delay">, policy: FollowPolicy<Job, Answer>) {
    this.#world = world;
    this.#policy = policy;
  }

  /** Asks for the job at that time, unless it is asked for sooner anyway. */
  schedule(job: Job, dueMs: number): void {
    if (job.isClosed || (job.pollDueMs !== null && job.pollDueMs <= dueMs)) return;
    job.pollDueMs = dueMs;
    if (dueMs <= this.#world.now()) this.#begin(job);
    else this.#add(dueMs, { kind: "poll", job, dueMs });
  }

  /** Calls at that time; takes no turn of any key. */
  remind(dueMs: number, callback: () => void): void {
    this.#add(dueMs, { kind: "call", callback });
  }

  /** Asks at once, whatever is planned; who calls has taken the turn. */
  async askNow(job: Job): Promise<void> {
    const answer = await this.#policy.ask(job);
    job.pollDueMs = null;
    if (job.isClosed) return;
    const dueMs = this.#policy.take(job, answer);
    if (dueMs !== null) this.schedule(job, dueMs);
  }

  /** Jobs that wait for their turn. */
  waiting(pacer: Pacer): number {
    return this.#lines.get(pacer)?.length ?? 0;
  }

  stop(): void {
    this.#isStopped = true;
  }

  #add(dueMs: number, due: Due<Job>): void {
    this.#due.add(dueMs, due);
    this.#setTimer();
  }

  #setTimer(): void {
    const dueMs = Math.max(this.#due.nextDueMs(), this.#tookAtMs + this.#policy.tickMs);
    const nowMs = this.#world.now();
    const wakesAtMs = Math.min(dueMs, nowMs + this.#policy.timerMsMax);
    if (this.#isStopped || this.#due.size === 0 || this.#wakesAtMs <= wakesAtMs) return;
    this.#wakesAtMs = wakesAtMs;
    void this.#world.delay(wakesAtMs - nowMs).then(() => this.#wake(wakesAtMs));
  }

  /** A timer can't be called off: one that was overtaken does nothing. */
  #wake(wakesAtMs: number): void {
    if (this.#wakesAtMs !== wakesAtMs) return;
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    this.#tookAtMs = this.#world.now();
    for (let next = this.#takeDue(); next !== null; next = this.#takeDue()) {
      if (next.kind === "call") next.callback();
      // One that was brought forward leaves its old place in the queue behind.
      else if (!next.job.isClosed && next.job.pollDueMs === next.dueMs) this.#begin(next.job);
    }
    this.#setTimer();
  }

  #takeDue(): Due<Job> | null {
    return this.#isStopped ? null : this.#due.take(this.#tookAtMs);
  }

  #begin(job: Job): void {
    job.pollDueMs = ON_ITS_WAY;
    const pacer = this.#policy.pacerOf(job);
    if (pacer === null) {
      void this.askNow(job);
      return;
    }
    const line = this.#lines.get(pacer) ?? [];
    this.#lines.set(pacer, line);
    line.push(job);
    if (line.length === 1) void this.#serve(pacer, line);
  }

  /** Until the line is empty; a job leaves it with its turn. */
  async #serve(pacer: Pacer, line: Job[]): Promise<void> {
    for (leaveOut(line); line.length > 0 && !this.#isStopped; leaveOut(line)) {
      await pacer.turn();
      leaveOut(line);
      const job = line.shift();
      if (job !== undefined) void this.askNow(job);
    }
  }
}

/** Closed jobs at the head of a line take no turn. */
function leaveOut(line: Followed[]): void {
  while (line[0]?.isClosed === true) line.shift();
}
