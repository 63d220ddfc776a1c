/** A paced caller stays within the plan, whenever its callers come and whatever it is told. */

import { expect, it } from "vitest";
import { pacerFor } from "../../../scenarios/client/pacer.ts";
import { between, stream } from "../../../simulation/chance.ts";
import { VirtualClock } from "../../../simulation/virtual-clock.ts";
import { smallWorld } from "../world/small-world.ts";

const PLANS = [
  { sustained: 10, burst: 20 },
  { sustained: 50, burst: 100 },
  { sustained: 200, burst: 400 },
];
const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);
const CALLERS = 200;

it.each(SEEDS)("never empties the bucket, and serves in order: seed %i", async (seed) => {
  const draw = stream(seed, "callers");
  const plan = PLANS[seed % PLANS.length] ?? { sustained: 10, burst: 20 };
  const clock = new VirtualClock(0);
  const { world } = smallWorld(() => ({ status: 200 }));
  const timed = { ...world, now: () => clock.nowMs(), delay: (ms: number) => clock.sleep(ms) };
  const pacer = pacerFor(timed, plan);
  const served: { caller: number; ms: number }[] = [];
  const call = async (caller: number) => {
    await pacer.turn();
    served.push({ caller, ms: clock.nowMs() });
  };
  const all = async () => {
    const calls: Promise<void>[] = [];
    for (let caller = 0; caller < CALLERS; caller += 1) {
      // Many at once, then a pause.
      if (draw() < 0.05) await clock.sleep(between(draw, 0, 2_000));
      calls.push(call(caller));
    }
    await Promise.all(calls);
  };
  await clock.run(all(), 600_000);
  expect(served.map(({ caller }) => caller)).toEqual(Array.from({ length: CALLERS }, (_, n) => n));
  let [tokens, lastMs] = [plan.burst, 0];
  for (const { ms } of served) {
    tokens = Math.min(plan.burst, tokens + ((ms - lastMs) / 1_000) * plan.sustained) - 1;
    lastMs = ms;
    expect(tokens).toBeGreaterThanOrEqual(0);
  }
});

it("slows down where it met a limit that nobody declared", async () => {
  const clock = new VirtualClock(0);
  const { world } = smallWorld(() => ({ status: 200 }));
  const timed = { ...world, now: () => clock.nowMs(), delay: (ms: number) => clock.sleep(ms) };
  const pacer = pacerFor(timed, { sustained: 50, burst: 100 });
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1) await pacer.turn();
    return clock.nowMs();
  };
  expect(await clock.run(turns(25), 60_000)).toBe(0);
  pacer.slowDown();
  pacer.holdUntil(1_000);
  // Half of the free plan's 10/s. Spec §8.
  expect(await clock.run(turns(11), 60_000)).toBeCloseTo(3_000, 6);
});
