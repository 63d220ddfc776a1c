/**
 * Notices that a service answers nobody any more, so that a scenario ends with what it has seen
 * instead of asking on for minutes. Any answer, of whatever status, is a sign of life.
 */

import {
  PROBE_AFTER_MS,
  PROBE_EVERY_MS,
  PROBE_TIMEOUT_MS,
} from "../../contract/requests/silence.ts";
import type { BriefAnswer, World } from "./world.ts";

/** Ours: whoever only waits asks that often whether there is anybody to wait for. */
const IDLE_MS = 20_000;
/** Ours: a longer wait is one of several, so that none outlives the service by more. */
const SLICE_MS = 5_000;
/** Ours: a machine that was late by that much in all may have lost the answers itself. */
const LATE_MS_MAX = 5_000;
const BEAT_MS = 1_000;
/**
 * Ours: once nobody answers, what is left to do is done in this time, or not at all; longer than a
 * long poll of the receiver.
 */
const ENDING_MS = 30_000;
const LAST_TIMEOUT_MS = 1_000;
const LAST_DELAY_MS = 250;

/** What is still to be done after the end is left undone, so that the process may end. */
const NEVER: Promise<never> = new Promise(() => {});

interface LivenessOptions {
  /** What of the world is the service. */
  baseUrl: string;
  /**
   * Asks it anything, and waits that long for the answer: without a key, which costs nobody's
   * allowance; with one, where only those who have one may be answered at all.
   */
  probe: (timeoutMs: number, withKey: boolean) => Promise<unknown>;
  /** How long nobody is answered before that is taken for the end, in ms. */
  unavailableMs: number;
  /** A probe that would be answered later is not sent. */
  deadlineAtMs: number;
  /** Told once: since when nobody was answered. */
  onGone: (sinceMs: number) => void;
}

export class Liveness {
  readonly #world: World;
  readonly #options: LivenessOptions;
  #answeredAtMs: number;
  /** When it was last asked whether there is anybody, for want of other requests. */
  #askedAtMs = 0;
  /** When nobody was answered any more; null while somebody is. */
  #sinceMs: number | null = null;
  #lateMs = 0;
  #isProbing = false;
  #isGone = false;
  #isOver = false;

  constructor(world: World, options: LivenessOptions) {
    this.#world = world;
    this.#options = options;
    this.#answeredAtMs = world.now();
  }

  /** The same world; once nobody answers, it waits for nothing any more. */
  get world(): World {
    const world = this.#world;
    const below = `${this.#options.baseUrl}/`;
    return {
      ...world,
      delay: (ms) => this.#delay(ms),
      request: (wire) => {
        const isService = wire.url.startsWith(below);
        if (!isService) this.#tick();
        if (this.#isGone && this.#isOver) return NEVER;
        if (!(this.#isGone && isService)) return world.request(wire);
        return world.request({ ...wire, timeoutMs: Math.min(wire.timeoutMs, LAST_TIMEOUT_MS) });
      },
      prepare: (wire, onAnswer) => {
        const send = world.prepare(wire, onAnswer);
        return () => {
          if (!(this.#isGone && this.#isOver)) send();
        };
      },
    };
  }

  /** What came of a request to the service, probes included. */
  seen({ status, error }: Pick<BriefAnswer, "status" | "error">, sentAtMs: number, atMs: number) {
    if (status > 0 || error === null || error === "unread") {
      this.#answeredAtMs = atMs;
      this.#sinceMs = null;
      return;
    }
    // It never left this machine.
    if (error === "local") return;
    this.#sinceMs ??= Math.max(sentAtMs, this.#answeredAtMs);
    if (atMs - this.#sinceMs >= PROBE_AFTER_MS) this.#startProbing();
  }

  /** Until when the service was there as far as known; what did not come later says nothing. */
  answeredUntilMs(): number {
    return this.#sinceMs === null ? this.#world.now() : this.#answeredAtMs;
  }

  /** The work, or an error once nobody was answered and it did not end in time by itself. */
  async bound(work: Promise<void>): Promise<void> {
    const { promise, reject } = withReject();
    this.#giveUp = () => reject(new Error("nobody was answered any more"));
    try {
      await Promise.race([work, promise]);
    } finally {
      this.#isOver = true;
    }
  }

  #giveUp: () => void = () => {};

  #delay(ms: number): Promise<void> {
    if (this.#isGone && this.#isOver) return NEVER;
    if (this.#isGone) return this.#world.delay(Math.min(ms, LAST_DELAY_MS));
    return ms <= SLICE_MS ? this.#world.delay(ms) : this.#delayLong(ms);
  }

  async #delayLong(ms: number): Promise<void> {
    const dueMs = this.#world.now() + ms;
    for (let leftMs = ms; leftMs > 0 && !this.#isGone; leftMs = dueMs - this.#world.now()) {
      await this.#world.delay(Math.min(leftMs, SLICE_MS));
      this.#tick();
    }
  }

  /** Of a scenario that may ask nothing for long. */
  #tick(): void {
    if (this.#isProbing || this.#isOver) return;
    const nowMs = this.#world.now();
    if (this.#sinceMs !== null) {
      if (nowMs - this.#sinceMs >= PROBE_AFTER_MS) this.#startProbing();
    } else if (nowMs - Math.max(this.#answeredAtMs, this.#askedAtMs) >= IDLE_MS) {
      this.#askedAtMs = nowMs;
      const { probe, deadlineAtMs } = this.#options;
      if (nowMs + PROBE_AFTER_MS <= deadlineAtMs) void probe(PROBE_AFTER_MS, false);
    }
  }

  #startProbing(): void {
    if (this.#isProbing || this.#isGone) return;
    this.#isProbing = true;
    this.#lateMs = 0;
    void this.#beat();
    void this.#probe().then(() => {
      this.#isProbing = false;
    });
  }

  /** Until there is an answer, or none was there for too long. */
  async #probe(): Promise<void> {
    const { probe, deadlineAtMs, onGone, unavailableMs } = this.#options;
    const world = this.#world;
    while (this.#sinceMs !== null && !this.#isOver) {
      if (world.now() + PROBE_TIMEOUT_MS > deadlineAtMs) return;
      await probe(PROBE_TIMEOUT_MS, true);
      const sinceMs: number | null = this.#sinceMs;
      if (sinceMs === null || this.#isOver) return;
      if (world.now() - sinceMs < unavailableMs) {
        await world.delay(PROBE_EVERY_MS);
      } else if (this.#lateMs > LATE_MS_MAX) {
        this.#lateMs = 0;
        this.#sinceMs = world.now();
      } else {
        this.#isGone = true;
        onGone(sinceMs);
        void this.#endSoon();
        return;
      }
    }
  }

  /** How late this machine is meanwhile. */
  async #beat(): Promise<void> {
    while (this.#isProbing && !this.#isGone && !this.#isOver) {
      const startMs = this.#world.now();
      await this.#world.delay(BEAT_MS);
      this.#lateMs += Math.max(0, this.#world.now() - startMs - BEAT_MS);
    }
  }

  async #endSoon(): Promise<void> {
    const untilMs = this.#world.now() + ENDING_MS;
    while (this.#world.now() < untilMs && !this.#isOver) await this.#world.delay(BEAT_MS);
    this.#giveUp();
  }
}

function withReject(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  // It may come too late for anybody to listen.
  promise.catch(() => {});
  return { promise, reject };
}
