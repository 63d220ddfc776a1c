/** How late the machine lets threads run, as the receiver tells it. */

import { expect, it } from "vitest";
import { startReceiver } from "../../receiver/receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { nowMs } from "./post.ts";

function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it(covers("tells that the main thread stood still", "39 receiver"), async () => {
  const receiver = await startReceiver();
  try {
    const fromMs = nowMs();
    blockThread(300);
    const { hostLagMs, hostLags, runnablePerCore } = await receiver.stats();
    expect(hostLagMs).toBeGreaterThan(200);
    const then = hostLags.filter((each) => each.toMs > fromMs && each.fromMs < fromMs + 300);
    expect(Math.max(...then.map(({ lagMs }) => lagMs))).toBeGreaterThan(200);
    expect(runnablePerCore).toBeGreaterThanOrEqual(0);
  } finally {
    await receiver.close();
  }
});

it("looks at its own thread alone where the main thread watches itself", async () => {
  const receiver = await startReceiver({ watchesMachine: false });
  try {
    await receiver.stats();
    const fromMs = nowMs();
    blockThread(3_000);
    const { hostLags, runnablePerCore } = await receiver.stats();
    const late = hostLags.filter((each) => each.toMs > fromMs && each.lagMs > 2_900);
    expect({ late, runnablePerCore }).toEqual({ late: [], runnablePerCore: 0 });
  } finally {
    await receiver.close();
  }
});
