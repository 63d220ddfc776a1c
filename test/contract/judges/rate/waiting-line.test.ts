/** A limiter that refuses nothing: excess requests wait for their turn. */

import { describe, expect, it } from "vitest";
import { limitedClaim } from "../../../../contract/judges/rate/limited.ts";
import { sustainedClaim } from "../../../../contract/judges/rate/sustained.ts";
import type { KeyTrial } from "../../../../contract/judges/rate/trial.ts";
import { waitingLine } from "../../../../contract/judges/rate/waiting-line.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { judged } from "./judged.ts";
import { exchangeAt, FREE } from "./simulated-trial.ts";

const TIMEOUT_MS = 10_000;
const VOLLEY_AT_MS = 1_234;
const PRESS_AT_MS = VOLLEY_AT_MS + 700;
/** Requests of an overload of 2.4 times the plan that lasts 6 s. */
const PRESSED = 144;

interface Line {
  perSecond: number;
  /** Added to each passage of the burst, in ms. */
  slowMs?: number;
  /** Requests that are served at once after a rest. */
  atOnce?: number;
}

/** A burst and six more, then an overload: served at once while there is room, then in turn. */
function heldTrial({ perSecond, slowMs = 0, atOnce = FREE.burst }: Line): KeyTrial {
  const spacingMs = 1_000 / perSecond;
  const inBurst = FREE.burst + 6;
  const sent = [
    ...Array.from({ length: inBurst }, () => VOLLEY_AT_MS),
    ...Array.from({ length: PRESSED }, (_, at) => PRESS_AT_MS + (at * 1_000) / 24),
  ];
  let freeAtMs = VOLLEY_AT_MS - atOnce * spacingMs;
  const shots = sent.map((sentAtMs): Exchange => {
    freeAtMs = Math.max(freeAtMs, sentAtMs - atOnce * spacingMs) + spacingMs;
    const receivedAtMs = Math.max(sentAtMs + 2 + slowMs, freeAtMs);
    return receivedAtMs - sentAtMs > TIMEOUT_MS
      ? { ...exchangeAt(sentAtMs, 0), receivedAtMs: sentAtMs + TIMEOUT_MS, error: "timeout" }
      : { ...exchangeAt(sentAtMs, 200), receivedAtMs };
  });
  const volley = { restedMs: 5_000, shots: shots.slice(0, inBurst) };
  return {
    key: "free",
    plan: "free",
    limit: FREE,
    volleys: [volley],
    drain: { volley, press: shots.slice(inBurst) },
    returns: [],
    waitsDeclined: [],
    below: null,
    endpoints: [],
    submissions: [],
  };
}

describe("a key whose excess requests wait for their turn", () => {
  it.each([
    ["at the plan's rate", 10, "kept"],
    ["15 % faster", 11.5, "broken"],
    ["15 % more slowly", 8.5, "broken"],
  ] as const)("%s: never told 429, and its rate is that of its answers", (_, rate, sustained) => {
    const trial = heldTrial({ perSecond: rate });
    expect(judged(limitedClaim, trial)).toMatchObject({ verdict: "broken" });
    expect(judged(limitedClaim, trial).summary).toContain("waited for their turn");
    expect(judged(sustainedClaim, trial).verdict).toBe(sustained);
  });

  it.each([
    ["a way or a service that is slow at another rate", heldTrial({ perSecond: 6 })],
    ["one that is slow for the burst as well", heldTrial({ perSecond: 10, slowMs: 1_500 })],
    ["one that does one after the other", heldTrial({ perSecond: 10, atOnce: 0 })],
    ["the same, a little faster than the plan", heldTrial({ perSecond: 11.9, atOnce: 0 })],
  ])("%s is no line of the plan's", (_, trial) => {
    expect(judged(limitedClaim, trial).verdict).toBe("inconclusive");
  });

  it("one that refuses some is no line without an end", () => {
    const { drain, limit } = heldTrial({ perSecond: 10 });
    const refused = drain?.press.map((shot, at) => (at === 90 ? { ...shot, status: 429 } : shot));
    expect(drain && waitingLine({ ...drain, press: refused ?? [] }, limit)).toBeNull();
  });
});
