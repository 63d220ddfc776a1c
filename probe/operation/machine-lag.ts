/**
 * How late this machine lets the threads of the probe and of its receiver run. What that may have
 * brought about itself (an answer to a webhook that came too late, a local service's slow timer) is
 * held against nobody.
 */

import { beats } from "../../clock/beats.ts";
import type { LagSpan } from "../../contract/time/lag.ts";
import { lagRecord } from "../../contract/time/lag.ts";
import type { Clock } from "../clock.ts";

/** Ours: the receiver tells of the last ten seconds. */
const HEAR_MS = 1_000;
/** Ours: nothing is asked about that is older than the watch of a late job. */
const KEPT_MS = 1_800_000;
/** Ours: less is no lag, and half an hour of it would only take memory. */
const LAG_MS_MIN = 5;
/** Ours: a lag that ended this long before something may have made it late. */
const MARGIN_MS = 2_000;

/** Ours: a connection is given up after 5 s, and two such lags one after the other use that up. */
const STOOD_STILL_MS = 2_000;

/** Whether a machine that late had no time for a request. */
export function stoodStill(lagMs: number): boolean {
  return lagMs >= STOOD_STILL_MS;
}

export class MachineLag {
  readonly #clock: Clock;
  readonly #hear: () => Promise<readonly LagSpan[]>;
  readonly #beatMs: number;
  readonly #record = lagRecord({ keptMs: KEPT_MS, leastMs: LAG_MS_MIN });

  /** `hear` tells the lags of the last seconds as another thread has seen them. */
  constructor(clock: Clock, hear: () => Promise<readonly LagSpan[]>, beatMs: number) {
    this.#clock = clock;
    this.#hear = hear;
    this.#beatMs = beatMs;
  }

  /** Watches until the signal. */
  start(signal: AbortSignal): void {
    const ends = [
      beats(this.#clock, this.#beatMs, this.#record.note),
      beats(this.#clock, HEAR_MS, () => void this.#listen()),
    ];
    signal.addEventListener("abort", () => {
      for (const end of ends) end();
    });
  }

  /** Something was late by so much just now. */
  note(lagMs: number): void {
    const toMs = this.#clock.nowMs();
    this.#record.note({ fromMs: toMs - lagMs, toMs, lagMs });
  }

  /** The worst lag from then until now, in ms. */
  async since(fromMs: number): Promise<number> {
    await this.#listen();
    return this.#record.worst(fromMs - MARGIN_MS, Number.POSITIVE_INFINITY);
  }

  async #listen(): Promise<void> {
    this.#record.hear(await this.#hear());
  }
}
