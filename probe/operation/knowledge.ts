/** What the probe has learnt from earlier canaries: clock offset, durations, states seen. */

import type { State } from "../../contract/states.ts";
import type { OffsetKnowledge } from "../tracker/clock-offset.ts";
import { learnOffset, NOTHING_KNOWN, offsetAt } from "../tracker/clock-offset.ts";
import { Durations } from "../tracker/durations.ts";
import type { Interval } from "../tracker/interval.ts";

export class Knowledge {
  #offset: OffsetKnowledge = NOTHING_KNOWN;
  readonly #durations = new Map<string, Durations>();
  /** By worker: how many jobs ended, and in how many each state was seen. */
  readonly #jobs = new Map<string, number>();
  readonly #seen = new Map<string, number>();

  learnOffset(createdMs: Interval, times: { sentAtMs: number; receivedAtMs: number }): number {
    const before = this.#offset.steps;
    this.#offset = learnOffset(this.#offset, createdMs, times);
    return this.#offset.steps - before;
  }

  offset(nowMs: number): Interval | null {
    return offsetAt(this.#offset, nowMs);
  }

  durations(canary: string): Durations {
    const known = this.#durations.get(canary) ?? new Durations();
    this.#durations.set(canary, known);
    return known;
  }

  learnStates(workerId: string, states: ReadonlySet<State>): void {
    this.#jobs.set(workerId, (this.#jobs.get(workerId) ?? 0) + 1);
    for (const state of states) {
      const key = `${workerId} ${state}`;
      this.#seen.set(key, (this.#seen.get(key) ?? 0) + 1);
    }
  }

  /** null where no job of the worker has ended yet. */
  seenShare(workerId: string, state: State): number | null {
    const jobs = this.#jobs.get(workerId) ?? 0;
    return jobs === 0 ? null : (this.#seen.get(`${workerId} ${state}`) ?? 0) / jobs;
  }
}
