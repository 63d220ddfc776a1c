/** Keeps a witness well below the plan of the key that it shares with a scenario. */

import type { PlanKey } from "../../contract/run-plan.ts";
import { keyLimit } from "../key-roles.ts";
import type { WitnessContext } from "./witness.ts";

/** Ours: careful scenarios take 60 % of the rate; this stays below the rest. */
const SHARE_OF_RATE = 0.25;
/** Ours: half of the smallest plan, for keys whose plan is not declared. */
const UNDECLARED_PER_SECOND = 5;

export type Pace = () => Promise<void>;

/** A function to await before each request; the first one goes at once. */
export function paceOf(key: PlanKey, { net, signal }: WitnessContext): Pace {
  const perSecond = (keyLimit(key)?.sustained ?? UNDECLARED_PER_SECOND) * SHARE_OF_RATE;
  let earliestMs = 0;
  return async () => {
    const waitMs = earliestMs - net.nowMs();
    if (waitMs > 0) await net.sleep(waitMs, signal);
    earliestMs = net.nowMs() + 1_000 / perSecond;
  };
}
