/** Many calls on one timer: in order, never early, and any of them called off. */

import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import { TimerQueue } from "../../clock/timer-queue.ts";
import { seededRandom } from "../probe/tracker/random.ts";

/** A queue on a clock that is moved by hand. */
function handMoved() {
  let nowMs = 0;
  const queue = new TimerQueue(() => nowMs);
  const moveTo = async (ms: number) => {
    nowMs = ms;
    queue.recheck();
    // Its timer was set before this one, for the same time.
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return { queue, moveTo };
}

it("calls in the order of time, whatever was called off in between", async () => {
  const { queue, moveTo } = handMoved();
  const random = seededRandom(1);
  const called: number[] = [];
  const waiting = new Map<number, () => void>();
  for (let round = 0; round < 5_000; round += 1) {
    const atMs = 1 + random() * 1_000;
    waiting.set(
      atMs,
      queue.callAt(atMs, () => called.push(atMs)),
    );
    const [victim] = [...waiting.keys()].slice(Math.floor(random() * waiting.size));
    if (victim === undefined || random() < 0.6) continue;
    waiting.get(victim)?.();
    waiting.delete(victim);
  }
  const times = [...waiting.keys()].sort((a, b) => a - b);
  await moveTo(500);
  expect(called).toEqual(times.filter((atMs) => atMs <= 500));
  await moveTo(1_001);
  expect(called).toEqual(times);
});

it("makes no call that another one, due at the same time, has called off", async () => {
  const { queue, moveTo } = handMoved();
  const called: string[] = [];
  let callOff = () => {};
  queue.callAt(10, () => {
    called.push("first");
    callOff();
  });
  callOff = queue.callAt(11, () => called.push("second"));
  await moveTo(20);
  expect(called).toEqual(["first"]);
});

it("calls an alarm at the time that it was set to last, and again when set again", async () => {
  const { queue, moveTo } = handMoved();
  const called: string[] = [];
  const alarm = queue.alarm(() => called.push("alarm"));
  const other = queue.alarm(() => called.push("other"));
  alarm.set(10);
  alarm.set(30);
  other.set(10);
  other.off();
  await moveTo(20);
  expect(called).toEqual([]);
  // Due at once with the alarm, which it puts off.
  queue.callAt(30, () => alarm.set(50));
  alarm.set(31);
  await moveTo(40);
  expect(called).toEqual([]);
  await moveTo(50);
  alarm.set(60);
  await moveTo(60);
  expect(called).toEqual(["alarm", "alarm"]);
});

it("takes a call that is made from within another", async () => {
  const { queue, moveTo } = handMoved();
  const called: string[] = [];
  queue.callAt(10, () => void queue.callAt(10, () => called.push("inner")));
  queue.callAt(30, () => called.push("later"));
  await moveTo(20);
  await moveTo(20);
  expect(called).toEqual(["inner"]);
});

it("is never early on the machine's own clock, and waits longer than a timer can", async () => {
  const queue = new TimerQueue(() => performance.now());
  const callOff = queue.callAt(performance.now() + 2 ** 32, () => expect.unreachable());
  const lateness = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const atMs = performance.now() + index / 3;
      return new Promise<number>((resolve) => {
        queue.callAt(atMs, () => resolve(performance.now() - atMs));
      });
    }),
  );
  callOff();
  expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
});
