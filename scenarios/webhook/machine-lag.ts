/** The lag of this machine by all who can tell: this scenario, its answers, the receiver. */

import type { ReceiverAccess } from "../../contract/delivery.ts";
import { delay } from "../lib/clock.ts";
import type { LagMeter } from "../lib/lag.ts";
import { lagMeter } from "../lib/lag.ts";
import { hostLagsOf } from "../lib/receiver.ts";

/** Ours: the receiver tells of the last 2 s, so that nothing is missed. */
const ASK_EVERY_MS = 1_000;

/** Goes on until it is stopped; an iteration of k6 does not end before. */
export function machineLag(access: ReceiverAccess, timeScale: number): LagMeter {
  const meter = lagMeter(timeScale);
  let isAsking = true;
  const ask = async () => {
    while (isAsking) {
      for (const stretch of await hostLagsOf(access)) meter.heard(stretch);
      await delay(ASK_EVERY_MS);
    }
  };
  // A receiver that is gone shows wherever deliveries are asked for.
  ask().catch(() => {});
  return {
    ...meter,
    stop() {
      isAsking = false;
      meter.stop();
    },
  };
}
