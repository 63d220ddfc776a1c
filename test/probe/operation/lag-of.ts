/** The lag of a machine, beside which no other thread may tell of one. */

import type { LagSpan } from "../../../contract/time/lag.ts";
import type { Clock } from "../../../probe/clock.ts";
import { MachineLag } from "../../../probe/operation/machine-lag.ts";

export function lagOf(
  clock: Clock,
  hear: () => Promise<readonly LagSpan[]> = async () => [],
): MachineLag {
  return new MachineLag(clock, hear, 10);
}
