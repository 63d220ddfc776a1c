/** What a step of requests is told of the machine that it ran on. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { watchMachine } from "../../capacity/machine-watch.ts";
import { nowMs } from "../../clock/system-clock.ts";

it("counts a standstill within the step, and none outside it", async () => {
  const [within, outside] = [watchMachine(), watchMachine()];
  const startedAtMs = nowMs();
  while (nowMs() < startedAtMs + 600);
  await sleep(120);
  expect(within({ startedAtMs, seconds: 1 }).wholeMs).toBeGreaterThan(400);
  const hourLater = { startedAtMs: startedAtMs + 3_600_000, seconds: 1 };
  expect(outside(hourLater)).toEqual({ wholeMs: 0, lastThirdMs: 0, runnablePerCore: 0 });
});
