/** How late the machine lets threads run, as the receiver tells it. */

import { performance } from "node:perf_hooks";
import { expect, it } from "vitest";
import { startReceiver } from "../../receiver/receiver.ts";

function blockThread(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

it("tells that the main thread stood still", async () => {
  const receiver = await startReceiver();
  try {
    blockThread(300);
    const { hostLagMs, runnablePerCore } = await receiver.stats();
    expect(hostLagMs).toBeGreaterThan(200);
    expect(runnablePerCore).toBeGreaterThanOrEqual(0);
  } finally {
    await receiver.close();
  }
});
