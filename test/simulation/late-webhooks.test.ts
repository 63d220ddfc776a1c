/** Jobs that end in time do so whenever their webhooks come: Spec §6 bounds no first delivery. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { VARIANTS } from "../../contract/states.ts";
import type { Clock } from "../../contract/time/clock.ts";
import type { PostWebhook } from "../../reference/webhooks/sender.ts";
import { openService } from "../../simulation/service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { promisesWith } from "../contract/findings.ts";

/** Sends so many in a second, one after the other. */
function sendingAtMost(perSecond: number, post: PostWebhook, clock: Clock): PostWebhook {
  let nextMs = 0;
  return async (order) => {
    nextMs = Math.max(clock.nowMs(), nextMs + 1_000 / perSecond);
    await new Promise<void>((resolve) => clock.after(nextMs - clock.nowMs(), resolve));
    return await post(order);
  };
}

const ONLY: PromiseId[] = ["load.throughput", "load.stable", "load.webhooks", "load.no-losses"];

it.each(VARIANTS)("webhooks that fall behind make no job late (variant %s)", async (variant) => {
  const { findings } = await simulateGate({
    seed: 1,
    only: ONLY,
    service: { variant },
    openService: (setup) =>
      openService({ ...setup, post: sendingAtMost(18, setup.post, setup.machine.clock) }),
  });
  expect(promisesWith(findings, "kept")).toEqual(expect.arrayContaining(ONLY));
});
