/** The watch on a process that holds more than it may: this one, which holds more than a byte. */

import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { watchMemory } from "../../runner/memory-watch.ts";

/** Ticks of the watch all at once, as where a read takes longer than the time between two. */
function watched(ticks: number) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const called = Promise.withResolvers<void>();
  const onExceeded = vi.fn(called.resolve);
  const end = watchMemory(process.pid, 1, onExceeded);
  vi.advanceTimersByTime(ticks * 100);
  return { onExceeded, called: called.promise, end };
}

/** Reads of others come after those of the watch. */
async function readOn(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await readFile("/proc/self/status", "utf8");
}

it("calls once, however many reads are under way", async () => {
  const { onExceeded, called } = watched(5);
  await called;
  await readOn();
  expect(onExceeded).toHaveBeenCalledTimes(1);
});

it("does not call once it has ended, whatever a read says that was under way", async () => {
  const { onExceeded, end } = watched(1);
  end();
  await readOn();
  expect(onExceeded).not.toHaveBeenCalled();
});
