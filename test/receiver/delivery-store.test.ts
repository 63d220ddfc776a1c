/** The store alone: what it keeps at its bounds, and that a full one takes posts as fast. */

import { describe, expect, it } from "vitest";
import { DeliveryStore } from "../../receiver/delivery-store.ts";

const OK = { kind: "status", status: 200, delayMs: 0 } as const;
const SIGNED = { signature: null, id: null, timestamp: null };
/** Ours: what an entry takes beside its body, as the store counts it. */
const ENTRY_BYTES = 1_024;

/** Room for so many deliveries without a body. */
function storeOf(deliveries: number): DeliveryStore {
  return new DeliveryStore({ memoryCapBytes: deliveries * ENTRY_BYTES, tokensMax: 100 });
}

function add(store: DeliveryStore, token: string, body = "", head = {}): void {
  store.list({
    token,
    attempt: store.countAttempt(token),
    arrivedAtMs: 0,
    method: "POST",
    contentType: null,
    headers: {},
    body: Buffer.from(body),
    bodyBytes: body.length,
    truncated: false,
    signed: SIGNED,
    signature: null,
    answer: OK,
    answeredAtMs: null,
    hungUpAtMs: null,
    requestsBefore: 0,
    ...head,
  });
}

const attempts = (store: DeliveryStore, token: string) =>
  store.ofToken(token, 0).map(({ attempt }) => attempt);

describe("a full store", () => {
  it("pushes the oldest of a token out, and goes on counting", () => {
    const store = storeOf(3);
    for (let n = 0; n < 8; n += 1) add(store, "a");
    expect(attempts(store, "a")).toEqual([6, 7, 8]);
    expect(store.usage).toEqual({ deliveries: 3, tokens: 1, bytes: 3 * ENTRY_BYTES });
    expect(store.evictedDeliveries).toBe(5);
  });

  it("frees what is left of a forgotten token, and no more", () => {
    const store = storeOf(4);
    for (const token of ["a", "b", "a", "a", "a", "b"]) add(store, token);
    expect([attempts(store, "a"), attempts(store, "b")]).toEqual([[2, 3, 4], [2]]);
    store.forget("a");
    expect(store.usage).toEqual({ deliveries: 1, tokens: 1, bytes: ENTRY_BYTES });
  });

  it("lets go of the bodies that it evicted", () => {
    const store = new DeliveryStore({ memoryCapBytes: 2 * ENTRY_BYTES, tokensMax: 100 });
    add(store, "a", "x".repeat(500));
    const [first] = store.ofToken("a", 0);
    add(store, "b", "y".repeat(600));
    expect(first).toMatchObject({ removed: true, body: Buffer.alloc(0) });
    expect(store.usage.bytes).toBe(ENTRY_BYTES + 600);
  });

  it("counts all of a head, and lets go of it", () => {
    const store = new DeliveryStore({ memoryCapBytes: 2 * ENTRY_BYTES, tokensMax: 100 });
    const signed = { signature: "s".repeat(100), id: "i".repeat(20), timestamp: "t".repeat(3) };
    add(store, "a", "", { signed, contentType: "c".repeat(50), headers: { name: "h".repeat(7) } });
    expect(store.usage.bytes).toBe(ENTRY_BYTES + 100 + 20 + 3 + 50 + 4 + 7);
    const [first] = store.ofToken("a", 0);
    add(store, "b", "y".repeat(900));
    const none = { signed: SIGNED, contentType: null, headers: {} };
    expect(first).toMatchObject({ removed: true, ...none });
    expect(first?.headers).toEqual({});
    expect(store.usage.bytes).toBe(ENTRY_BYTES + 900);
  });

  it("takes a flood on one token about as fast as an empty one", () => {
    const deliveries = 20_000;
    const store = storeOf(deliveries);
    // Processor time: others may use the machine meanwhile.
    const batchMicros = () => {
      const before = process.cpuUsage();
      for (let n = 0; n < 1_000; n += 1) add(store, "a");
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const medianMicros = (batches: number) => {
      const each = Array.from({ length: batches }, batchMicros).sort((a, b) => a - b);
      return each[Math.floor(batches / 2)] ?? 0;
    };
    const [filling, full] = [medianMicros(20), medianMicros(5)];
    expect(store.evictedDeliveries).toBe(5_000);
    // A search of the whole list for each would take hundreds of times as long.
    expect(full / filling).toBeLessThan(20);
  });
});
