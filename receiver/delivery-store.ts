/** Keeps what arrived within a bound of memory, and counts the attempts of each token. */

import type { StoredDelivery } from "./delivery-log.ts";
import { DeliveryLog } from "./delivery-log.ts";

interface StoreLimits {
  memoryCapBytes: number;
  tokensMax: number;
}

/** Ours: measured with some room, what a delivery takes beside its body. */
const ENTRY_BYTES = 1_024;

interface TokenRecord {
  attempts: number;
  /** In the order of listing, so that those that were evicted stand first. */
  deliveries: StoredDelivery[];
  evicted: number;
}

export class DeliveryStore {
  readonly #limits: StoreLimits;
  readonly #log = new DeliveryLog();
  /** In the order of their first attempt. */
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #listeners = new Set<(delivery: StoredDelivery) => void>();
  #bytes = 0;
  evictedDeliveries = 0;
  evictedTokens = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  get usage(): { deliveries: number; tokens: number; bytes: number } {
    return { deliveries: this.#log.size, tokens: this.#tokens.size, bytes: this.#bytes };
  }

  /** Number of the attempt that begins now, from 1; a forgotten token begins again. */
  countAttempt(token: string): number {
    const record = this.#tokens.get(token) ?? this.#openToken(token);
    record.attempts += 1;
    return record.attempts;
  }

  /** Lists a delivery; from now on it can be read, and wakes those who wait for it. */
  list(delivery: Omit<StoredDelivery, "sequence" | "removed">): StoredDelivery {
    const sequence = this.#log.nextSequence();
    const entry = { ...delivery, sequence, removed: false };
    const record = this.#tokens.get(entry.token) ?? this.#openToken(entry.token);
    record.attempts = Math.max(record.attempts, entry.attempt);
    record.deliveries.push(entry);
    this.#log.append(entry);
    this.#bytes += costOf(entry);
    this.#keepWithinMemory(entry);
    for (const listener of this.#listeners) listener(entry);
    return entry;
  }

  ofToken(token: string, afterAttempt: number): StoredDelivery[] {
    const record = this.#tokens.get(token);
    if (record === undefined) return [];
    return keptOf(record)
      .filter(({ attempt }) => attempt > afterAttempt)
      .sort((a, b) => a.attempt - b.attempt);
  }

  after(sequence: number): Iterable<StoredDelivery> {
    return this.#log.after(sequence);
  }

  forget(token: string): void {
    const record = this.#tokens.get(token);
    if (record === undefined) return;
    this.#tokens.delete(token);
    for (const entry of keptOf(record)) this.#remove(entry);
  }

  /** Calls for each delivery that is listed; gives back what ends that. */
  onListed(listener: (delivery: StoredDelivery) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #openToken(token: string): TokenRecord {
    const record = { attempts: 0, deliveries: [], evicted: 0 };
    this.#tokens.set(token, record);
    if (this.#tokens.size > this.#limits.tokensMax) this.#evictOldestToken();
    return record;
  }

  #evictOldestToken(): void {
    const [oldest] = this.#tokens;
    if (oldest === undefined) return;
    this.evictedTokens += 1;
    this.evictedDeliveries += keptOf(oldest[1]).length;
    this.forget(oldest[0]);
  }

  #keepWithinMemory(newest: StoredDelivery): void {
    while (this.#bytes > this.#limits.memoryCapBytes) {
      const oldest = this.#log.oldest();
      if (oldest === null || oldest === newest) return;
      this.evictedDeliveries += 1;
      this.#remove(oldest);
      // Its attempts stay counted: the script of a retry schedule must not begin again.
      const record = this.#tokens.get(oldest.token);
      if (record !== undefined) countEvicted(record);
    }
  }

  #remove(entry: StoredDelivery): void {
    this.#bytes -= costOf(entry);
    this.#log.remove(entry);
  }
}

function keptOf({ deliveries, evicted }: TokenRecord): StoredDelivery[] {
  return deliveries.slice(evicted);
}

/** Sweeps when half are gone, so that in a flood on one token each costs what the first did. */
function countEvicted(record: TokenRecord): void {
  record.evicted += 1;
  if (record.evicted * 2 <= record.deliveries.length) return;
  record.deliveries = keptOf(record);
  record.evicted = 0;
}

function costOf({ body, headers, signed, contentType }: StoredDelivery): number {
  const { signature, id, timestamp } = signed;
  let bytes = body.length + ENTRY_BYTES;
  for (const text of [signature, id, timestamp, contentType]) bytes += text?.length ?? 0;
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0);
  return bytes;
}
