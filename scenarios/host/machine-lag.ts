/** The lag of this machine by all who can tell: the scenario, and the receiver. */

import type { ReceiverAccess } from "../../contract/delivery.ts";
import type { PromisedTimes } from "../../contract/run-plan.ts";
import { hostLagsOf } from "../client/receiver.ts";
import type { World } from "../world/world.ts";
import type { LagMeter } from "./lag.ts";
import { lagMeter } from "./lag.ts";

/** Ours: the receiver tells of the last 10 s, so that nothing is missed. */
const ASK_EVERY_MS = 1_000;
/** Ours: finer than any lag that matters beside the shortest time that is promised, and no load. */
const BEATS = 50;

/**
 * Goes on until it is stopped; an iteration of k6 does not end before. Without a receiver the
 * scenario's own beats are all there is.
 */
export function machineLag(
  world: World,
  { webhookAnswerMs }: PromisedTimes,
  access: ReceiverAccess | null,
): LagMeter {
  const meter = lagMeter(world, webhookAnswerMs / BEATS);
  if (access === null) return meter;
  let isAsking = true;
  let heardUntilMs = Number.NEGATIVE_INFINITY;
  const hearAll = async () => {
    const news = (await hostLagsOf(world, access)).filter(({ toMs }) => toMs > heardUntilMs);
    for (const stretch of news) meter.heard(stretch);
    heardUntilMs = Math.max(heardUntilMs, ...news.map(({ toMs }) => toMs));
  };
  const ask = async () => {
    while (isAsking) {
      await hearAll();
      await world.delay(ASK_EVERY_MS);
    }
  };
  // A receiver that is gone shows wherever deliveries are asked for.
  ask().catch(() => {});
  return {
    ...meter,
    hearAll: () => hearAll().catch(() => {}),
    stop() {
      isAsking = false;
      meter.stop();
    },
  };
}
