/** Hands each webhook delivery to the run whose token it carries. */

import type { Delivery } from "../../../contract/jobs/delivery.ts";
import { ANSWER_OK, deliveryUrl } from "../../../contract/jobs/delivery.ts";
import { messageOf } from "../../../contract/text/thrown.ts";
import type { LagSpan } from "../../../contract/time/lag.ts";
import type { Clock } from "../../clock.ts";
import { sleepUntil } from "../../clock.ts";
import type { Emit } from "../../events.ts";
import type { Journal } from "../../journal/journal.ts";
import type { MachineLag } from "../machine-lag.ts";
import { stoodStill } from "../machine-lag.ts";
import type { Asked } from "./own-reach.ts";
import { OwnReach } from "./own-reach.ts";

/** What the desk needs of a receiver. */
export interface OpenReceiver {
  publicUrl: string;
  /** Rejects once the receiver is no more. */
  arrivals(query: {
    after: number;
    waitMs: number;
  }): Promise<{ deliveries: Delivery[]; next: number }>;
  forget(tokens: readonly string[]): Promise<void>;
  stats(): Promise<{ hostLags: readonly LagSpan[] }>;
  close(): Promise<void>;
  /** Asks its public address for itself; left out where the operator has named none. */
  ask?(url: string, signal: AbortSignal): Promise<Asked>;
}

export interface DeliveryDesk {
  /** False while there is no receiver: then webhooks are not asked for. */
  readonly listening: boolean;
  /** Whether a delivery came so far: it alone shows that the service reaches the receiver. */
  readonly isReached: boolean;
  /** Tells that one was due and none ever came; taken back when one comes. */
  doubtReach(): void;
  /** Whether a delivery may have been missed since that time. */
  wasAwaySince(atMs: number): boolean;
  /** Where deliveries are to come; a receiver that is opened again has the same. */
  readonly publicUrl: string;
  /** A token of a submission's own. */
  newToken(): string;
  urlOf(token: string): string;
  /**
   * Calls back for each delivery; gives back what ends the watch. `onLate` hears for a while of
   * those that come after its end, and says whether the delivery is one of the job's.
   */
  watch(token: string, onDelivery: OnDelivery, onLate?: OnLate): () => void;
  /** Reads arrivals until the signal; runs that resume must be watching before. */
  start(signal: AbortSignal): void;
  /** How late threads of this machine were in the last seconds, as the receiver has seen. */
  lags(): Promise<readonly LagSpan[]>;
  close(): Promise<void>;
}

export type OnDelivery = (delivery: Delivery) => void;
export type OnLate = (delivery: Delivery) => boolean;

export interface DeskParts {
  /** Opens a receiver; where one was open before, at the same address. */
  open: (before: OpenReceiver | null) => Promise<OpenReceiver>;
  clock: Clock;
  newId: () => string;
  emit: Emit;
  /** How far the probe's clock is ahead of the receiver's. */
  skewMs: () => number;
  /** Whether a delivery is surely the service's. */
  isVouched: (delivery: Delivery) => boolean;
  /** Asked once the desk has started. */
  lag: Pick<MachineLag, "since">;
  /** Keeps over restarts where own requests came through. */
  journal: Pick<Journal, "reachedUrl" | "keepReached">;
}

/** Every token begins so, that the receiver can turn strangers away unread. */
export const TOKEN_PREFIX = "probe-";
/** Ours: longer than all retries of a failed delivery; of so many jobs, lest memory fill. */
const LATE_KEPT_MS = 600_000;
const LATE_KEPT_MAX = 64;
/** Ours: an arrival ends the wait at once; this only bounds how long a shutdown takes. */
const WAIT_MS = 2_000;
/** Ours: a receiver that died is opened again soon, as the service tries again after 5 s. */
const REOPEN_MS = 1_000;
/** Ours: a path that breaks is known before the last retry of a delivery is due. Spec §6. */
const ASK_EVERY_MS = 60_000;

export async function openDeliveryDesk(parts: DeskParts): Promise<DeliveryDesk> {
  return new Desk(await parts.open(null), parts);
}

class Desk implements DeliveryDesk {
  readonly #watchers = new Map<string, OnDelivery>();
  /** By tokens that are watched no more, in the order in which that ended. */
  readonly #late = new Map<string, { onLate: OnLate; untilMs: number }>();
  readonly #parts: DeskParts;
  #receiver: OpenReceiver;
  #listening = true;
  #isReached = false;
  #isDoubted = false;
  #awayUntilMs = Number.NEGATIVE_INFINITY;
  #own: OwnReach;

  constructor(receiver: OpenReceiver, parts: DeskParts) {
    this.#receiver = receiver;
    this.#parts = parts;
    this.#own = this.#newReach();
  }

  #newReach(): OwnReach {
    const isKept = this.#parts.journal.reachedUrl() === this.#receiver.publicUrl;
    return new OwnReach(isKept ? true : null);
  }

  get listening(): boolean {
    return this.#listening;
  }

  get publicUrl(): string {
    return this.#receiver.publicUrl;
  }

  get isReached(): boolean {
    return this.#isReached;
  }

  doubtReach(): void {
    if (this.#isReached || this.#isDoubted || !this.#listening) return;
    this.#isDoubted = true;
    const why = `the service may not reach ${this.#receiver.publicUrl}, as nothing came there yet`;
    const expected = "expected one delivery, or webhook.publicUrl";
    this.#parts.emit({ type: "receiver", listening: false, why: `${why}; ${expected}` });
  }

  wasAwaySince(atMs: number): boolean {
    return !this.#listening || this.#own.isLost || this.#awayUntilMs >= atMs;
  }

  newToken(): string {
    return TOKEN_PREFIX + this.#parts.newId();
  }

  urlOf(token: string): string {
    return deliveryUrl(this.#receiver.publicUrl, token, [ANSWER_OK]);
  }

  watch(token: string, onDelivery: OnDelivery, onLate?: OnLate): () => void {
    this.#watchers.set(token, onDelivery);
    return () => {
      this.#watchers.delete(token);
      if (onLate !== undefined) this.#keepLate(token, onLate);
      this.#receiver.forget([token]).catch(() => {});
    };
  }

  #keepLate(token: string, onLate: OnLate): void {
    const nowMs = this.#parts.clock.nowMs();
    this.#late.set(token, { onLate, untilMs: nowMs + LATE_KEPT_MS });
    for (const [oldest, { untilMs }] of this.#late) {
      if (untilMs > nowMs && this.#late.size <= LATE_KEPT_MAX) break;
      this.#late.delete(oldest);
    }
  }

  start(signal: AbortSignal): void {
    void this.#work(signal);
    void this.#askItself(signal);
  }

  async lags(): Promise<readonly LagSpan[]> {
    const stats = await this.#receiver.stats().catch(() => null);
    const skewMs = this.#parts.skewMs();
    return (stats?.hostLags ?? []).map(({ fromMs, toMs, lagMs }) => {
      return { fromMs: fromMs + skewMs, toMs: toMs + skewMs, lagMs };
    });
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#read(signal);
      } catch (error) {
        // A receiver that is closed rejects, too, which is how the last read ends.
        if (!signal.aborted) await this.#reopen(messageOf(error), signal);
      }
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    let after = 0;
    while (!signal.aborted) {
      const { deliveries, next } = await this.#receiver.arrivals({ after, waitMs: WAIT_MS });
      after = next;
      for (const delivery of deliveries) this.#handOut(delivery);
    }
  }

  #handOut(delivery: Delivery): void {
    const watcher = this.#watchers.get(delivery.token);
    const arrivedAtMs = delivery.arrivedAtMs + this.#parts.skewMs();
    if (watcher === undefined) {
      if (this.#late.get(delivery.token)?.onLate({ ...delivery, arrivedAtMs }) === true) return;
      this.#parts.emit({ type: "delivery", run: null, outcome: "unknown_token", delay: null });
      return;
    }
    if (this.#parts.isVouched(delivery)) this.#noteReach();
    watcher({ ...delivery, arrivedAtMs });
  }

  async #askItself(signal: AbortSignal): Promise<void> {
    const { clock, emit } = this.#parts;
    while (!signal.aborted) {
      const receiver = this.#receiver;
      const asked = this.#listening ? await this.#ask(receiver, signal) : null;
      // That a receiver died meanwhile is told by whoever opens it again.
      const isCurrent = this.#listening && receiver === this.#receiver && !signal.aborted;
      if (asked != null && isCurrent) {
        this.#noteOwn((own) => own.take(asked), asked.why);
        const { validity } = asked;
        if (validity !== undefined) emit({ type: "certificate", of: "receiver", validity });
      }
      await sleepUntil(clock, clock.nowMs() + ASK_EVERY_MS, signal);
    }
  }

  /** null as well where this machine may have failed: what came, and what is sure, stands. */
  async #ask({ ask }: OpenReceiver, signal: AbortSignal): Promise<Asked> {
    const sentAtMs = this.#parts.clock.nowMs();
    const asked = (await ask?.(this.urlOf(this.newToken()), signal)) ?? null;
    if (asked?.isSure !== false) return asked;
    return stoodStill(await this.#parts.lag.since(sentAtMs)) ? null : asked;
  }

  /** Until the address leads here again, what does not come says nothing of the service. */
  #noteOwn(note: (own: OwnReach) => void, why: string | null): void {
    const { clock, emit, journal } = this.#parts;
    const { isLost: wasLost, isSeen: wasSeen, isSameWay: before } = this.#own;
    note(this.#own);
    const { isLost, isSeen, isSameWay } = this.#own;
    if (before !== isSameWay) {
      // What can't be written now is kept by the journal and reported by it.
      journal.keepReached(isSameWay === true ? this.#receiver.publicUrl : null).catch(() => {});
    }
    if (wasLost && !isLost) this.#awayUntilMs = clock.nowMs();
    if (wasLost === isLost && (wasSeen || !isSeen)) return;
    const text = `the probe can't reach its own ${this.#receiver.publicUrl}: ${why}`;
    const news = isLost ? { listening: false, why: text } : { listening: true, why: null };
    emit({ type: "receiver", ...news, byItself: isSeen });
  }

  #noteReach(): void {
    this.#isReached = true;
    this.#noteOwn((own) => own.delivered(), null);
    if (this.#isDoubted) this.#parts.emit({ type: "receiver", listening: true, why: null });
    this.#isDoubted = false;
  }

  /** Returns when a receiver is open again, or on the signal. */
  async #reopen(why: string, signal: AbortSignal): Promise<void> {
    const { open, clock, emit } = this.#parts;
    this.#listening = false;
    emit({ type: "receiver", listening: false, why });
    while (!signal.aborted) {
      await sleepUntil(clock, clock.nowMs() + REOPEN_MS, signal);
      const opened = await open(this.#receiver).catch(() => null);
      if (opened === null) continue;
      this.#receiver = opened;
      if (signal.aborted) return opened.close();
      this.#listening = true;
      this.#isDoubted = false;
      this.#own = this.#newReach();
      this.#awayUntilMs = clock.nowMs();
      return emit({ type: "receiver", listening: true, why: null });
    }
  }
}
