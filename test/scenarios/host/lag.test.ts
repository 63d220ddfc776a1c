/** A scenario's lag on virtual time: its own beat, and what the receiver tells. */

import { expect, it } from "vitest";
import { DEFAULT_TOLERANCES } from "../../../contract/run/run-plan.ts";
import type { LagSpan } from "../../../contract/time/lag.ts";
import { promisedTimes, REAL_TIMES } from "../../../contract/time/promised-times.ts";
import { machineLag } from "../../../scenarios/host/lag.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { between, stream } from "../../../simulation/chance.ts";
import { RECEIVER_ACCESS } from "../receiver-access.ts";
import { smallWorld } from "../world/small-world.ts";

/** Twenty times as fast. */
const FAST = promisedTimes({ timeScale: 0.05, tolerances: DEFAULT_TOLERANCES });
/** A machine that stands still in these spans: what is due meanwhile comes at their end. */
function stalling(world: World, stalls: readonly LagSpan[]): World {
  return {
    ...world,
    delay(ms) {
      const dueMs = world.now() + ms;
      const during = stalls.find(({ fromMs, toMs }) => dueMs > fromMs && dueMs < toMs);
      return world.delay((during?.toMs ?? dueMs) - world.now());
    },
  };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])("its beat tells each stall, history %i", async (seed) => {
  const draw = stream(seed, "stalls");
  const { world, until } = smallWorld(() => ({ status: 200 }));
  const startMs = world.now();
  const stalls = Array.from({ length: 8 }, (_, at) => {
    const fromMs = startMs + at * 2_000 + Math.floor(between(draw, 0, 500));
    const lagMs = Math.floor(between(draw, 50, 1_000));
    return { fromMs, toMs: fromMs + lagMs, lagMs };
  });
  const late = stalling(world, stalls);
  const lag = machineLag(late, FAST, null);
  await until(world.delay(20_000));
  for (const { fromMs, toMs, lagMs } of stalls) {
    // The beat that was on its way when it began is late by the rest of it alone.
    expect(lag.between(fromMs, toMs)).toBeLessThanOrEqual(lagMs);
    expect(lag.between(fromMs, toMs)).toBeGreaterThanOrEqual(lagMs - 10);
    expect(lag.between(toMs + 10, toMs + 400)).toBe(0);
  }
  const [first, second] = stalls;
  const inAllMs = lag.inAll(startMs, second?.toMs ?? 0);
  const bothMs = (first?.lagMs ?? 0) + (second?.lagMs ?? 0);
  expect(inAllMs).toBeLessThanOrEqual(bothMs);
  // Less a beat each, and what of it had passed when it began.
  expect(inAllMs).toBeGreaterThanOrEqual(bothMs - 4 * 10);
  expect(lag.typical()).toBe(0);
  lag.stop();
});

it("takes what the receiver tells, each span once", async () => {
  const span = { fromMs: Date.UTC(2026, 0, 1) + 100, toMs: Date.UTC(2026, 0, 1) + 400, lagMs: 300 };
  const body = JSON.stringify({ hostLags: [span] });
  const { world, until } = smallWorld(() => ({ status: 200, body }), { SECRET: "s".repeat(20) });
  const lag = machineLag(world, FAST, RECEIVER_ACCESS);
  await until(world.delay(3_000));
  await until(lag.hearAll());
  expect(lag.between(span.fromMs, span.toMs)).toBe(300);
  expect(lag.between(span.toMs + 50, span.toMs + 100)).toBe(0);
  lag.stop();
});

it("goes on to ask a receiver that failed to answer once", async () => {
  const span = {
    fromMs: Date.UTC(2026, 0, 1) + 5_000,
    toMs: Date.UTC(2026, 0, 1) + 5_400,
    lagMs: 400,
  };
  const body = JSON.stringify({ hostLags: [span] });
  let asked = 0;
  const answer = () => {
    asked += 1;
    return asked === 1 ? { status: 503 } : { status: 200, body };
  };
  const { world, until } = smallWorld(answer, { SECRET: "s".repeat(20) });
  const lag = machineLag(world, FAST, RECEIVER_ACCESS);
  await until(world.delay(3_000));
  expect(asked).toBeGreaterThan(1);
  expect(lag.between(span.fromMs, span.toMs)).toBe(400);
  lag.stop();
});

it("measures on a target in real time, by a slower beat", async () => {
  const { world, until } = smallWorld(() => ({ status: 200 }));
  const fromMs = world.now() + 2_050;
  const stall = { fromMs, toMs: fromMs + 1_500, lagMs: 1_500 };
  const lag = machineLag(stalling(world, [stall]), REAL_TIMES, null);
  await until(world.delay(10_000));
  expect(lag.between(stall.fromMs, stall.toMs)).toBeGreaterThanOrEqual(1_300);
  expect(lag.between(stall.toMs + 200, stall.toMs + 400)).toBe(0);
  lag.stop();
});
