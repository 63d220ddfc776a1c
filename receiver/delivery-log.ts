/** Deliveries in the order in which they were listed: cheap to append, to read on, to take from. */

import type { Delivery, SignatureState } from "../contract/jobs/delivery.ts";
import type { SignedHeaders } from "./signature.ts";

export interface StoredDelivery extends Omit<Delivery, "body" | "signature" | "signedAtMs"> {
  /** Order of listing among all deliveries, from 1. */
  sequence: number;
  body: Buffer;
  signed: SignedHeaders;
  /**
   * Null until first asked for: deliveries that nobody reads cost no check. Of a body that is
   * longer than what is kept it is known from the start.
   */
  signature: SignatureState | null;
  /** No longer kept; it only waits to be swept out of the log. */
  removed: boolean;
}

/** Ours: sweeping a shorter log would cost more than it frees. */
const SWEPT_ENTRIES_MIN = 1_024;

/** Of a delivery that is no longer kept. */
const NOTHING = {
  body: Buffer.alloc(0),
  headers: {},
  signed: { signature: null, id: null, timestamp: null },
  contentType: null,
};

export class DeliveryLog {
  #entries: StoredDelivery[] = [];
  #removed = 0;
  #lastSequence = 0;
  /** Everything before this index is removed. */
  #oldest = 0;

  get size(): number {
    return this.#entries.length - this.#removed;
  }

  nextSequence(): number {
    this.#lastSequence += 1;
    return this.#lastSequence;
  }

  append(entry: StoredDelivery): void {
    this.#entries.push(entry);
  }

  oldest(): StoredDelivery | null {
    while (this.#entries[this.#oldest]?.removed) this.#oldest += 1;
    return this.#entries[this.#oldest] ?? null;
  }

  remove(entry: StoredDelivery): void {
    if (entry.removed) return;
    entry.removed = true;
    // The log may hold it for long; what takes memory goes at once.
    Object.assign(entry, NOTHING);
    this.#removed += 1;
    if (this.#entries.length < SWEPT_ENTRIES_MIN) return;
    if (this.#removed * 2 > this.#entries.length) this.#sweep();
  }

  /** Entries listed after that sequence number, removed ones left out. */
  *after(sequence: number): Generator<StoredDelivery> {
    for (let index = this.#indexAfter(sequence); index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry !== undefined && !entry.removed) yield entry;
    }
  }

  #sweep(): void {
    this.#entries = this.#entries.filter(({ removed }) => !removed);
    this.#removed = 0;
    this.#oldest = 0;
  }

  /** Sequence numbers rise, with gaps where entries were swept out. */
  #indexAfter(sequence: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.sequence ?? 0) <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
