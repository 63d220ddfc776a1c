/** Bounds on the rate of a bucket, by times that k6 tells in whole milliseconds. */

import { expect, it } from "vitest";
import { bucketBounds } from "../../../../contract/judges/rate/bucket-bounds.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import { seededRandom } from "../../../../scenarios/world/random.ts";
import { exchangeAt } from "./simulated-trial.ts";

const STRONG = { sustained: 200, burst: 400 };
const OVERLOAD_PER_SECOND = 480;
/** A generator wakes up so often, and sends all that is due. */
const WAKING_MS = 4;
const SENDING_MS = 0.05;
const ONE_WAY_MS = 0.2;

/** Answered within the millisecond, several in one. */
function overloaded(seed: number) {
  const limiter = createLimiter("token-bucket", { ...STRONG, refusedCount: false });
  const startMs = 1_000_000 + seededRandom(seed).next() * 10_000;
  const send = (sentAtMs: number): Exchange => {
    const { admitted } = limiter.take(sentAtMs + ONE_WAY_MS);
    const receivedAtMs = Math.floor(sentAtMs + 2 * ONE_WAY_MS);
    return { ...exchangeAt(Math.floor(sentAtMs), admitted ? 200 : 429), receivedAtMs };
  };
  const shots = Array.from({ length: STRONG.burst + 6 }, (_, at) =>
    send(startMs + at * SENDING_MS),
  );
  let freeMs = startMs + 50;
  const press = Array.from({ length: 6 * OVERLOAD_PER_SECOND }, (_, at) => {
    const dueMs = 50 + (at / OVERLOAD_PER_SECOND) * 1_000;
    const sentAtMs = Math.max(freeMs, startMs + Math.ceil(dueMs / WAKING_MS) * WAKING_MS);
    freeMs = sentAtMs + SENDING_MS;
    return send(sentAtMs);
  });
  return { volley: { restedMs: 10_000, shots }, press };
}

it("are on either side of the rate, and near it", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const { low, high } = bucketBounds(overloaded(seed), STRONG);
    expect(low).toBeLessThanOrEqual(STRONG.sustained);
    expect(high).toBeGreaterThanOrEqual(STRONG.sustained);
    expect(high - low).toBeLessThan(STRONG.sustained * 0.005);
  }
});
