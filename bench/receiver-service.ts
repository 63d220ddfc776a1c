/** The webhook receiver in a process of its own, whose main thread can be made to stand still. */

import { startReceiver } from "../receiver/receiver.ts";

const receiver = await startReceiver();

/** How long the main thread stands still, and how often. */
export interface Stall {
  stallMs: number;
  everyMs: number;
}

let timer: NodeJS.Timeout | null = null;

function stall({ stallMs, everyMs }: Stall): void {
  timer = setInterval(() => {
    const untilMs = performance.now() + stallMs;
    while (performance.now() < untilMs);
  }, everyMs);
}

/** A stall begins; anything else ends it, and asks when what came in between arrived. */
process.on("message", async (message: Stall | { after: number }) => {
  if ("stallMs" in message) {
    stall(message);
    return;
  }
  if (timer !== null) clearInterval(timer);
  const { deliveries, next } = await receiver.arrivals({ after: message.after });
  process.send?.({ next, arrived: deliveries.map((each) => [each.token, each.arrivedAtMs]) });
});
process.on("disconnect", () => process.exit());
process.send?.({ baseUrl: receiver.access.publicUrl });
