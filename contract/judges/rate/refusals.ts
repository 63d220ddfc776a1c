/** The answers 429 of a key's trial. */

import type { Exchange } from "../../exchange.ts";
import { retryAfterOf } from "../../retry-after.ts";
import type { KeyTrial } from "./trial.ts";
import { allShots, shotsWith } from "./trial.ts";

/** Those of reads and of submissions: each route may have been given a refusal of its own. */
export function refusalsOf(trial: KeyTrial): readonly Exchange[] {
  return [...shotsWith(allShots(trial), "refused"), ...shotsWith(trial.submissions, "refused")];
}

/** Refusals with the wait that they tell; those that tell none are left out. */
export function toldWaits(refusals: readonly Exchange[]): { shot: Exchange; waitMs: number }[] {
  return refusals.flatMap((shot) => {
    const read = retryAfterOf(shot);
    return "waitMs" in read ? [{ shot, waitMs: read.waitMs }] : [];
  });
}
