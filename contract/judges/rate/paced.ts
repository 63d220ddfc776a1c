/**
 * The sustained rate of a key whose refused requests use up its allowance, too: pressing starves
 * it, so it is held just above its plan and given way after each refusal. From one refusal to
 * another it had nothing left at either end, so that what counted meanwhile is what it earned.
 */

import type { Exchange } from "../../exchange.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { Finding } from "../../verdict.ts";
import { broken, kept } from "../../verdict.ts";
import type { KeyTrial } from "./trial.ts";
import { answeredAtMs, shotsWith } from "./trial.ts";

/** Ours: over less, one refusal more or less weighs as much as the tolerance. */
const WINDOWS_MIN = 4;
/** Ours, as of a press: a figure within the tolerance may be off by as much, less a little. */
const FAR_TOLERANCES = 1.6;

/** null where the press tells nothing. */
export function judgePaced(
  { key, limit, drain }: Pick<KeyTrial, "key" | "limit" | "drain">,
  { sustainedShare }: Tolerances,
): Finding | null {
  const seen = countBetweenRefusals(drain?.paced ?? [], limit);
  if (seen === null) return null;
  const { admitted, refused, seconds } = seen;
  const low = admitted / seconds;
  const high = (admitted + refused) / seconds;
  const evidence = {
    [key]: {
      promisedPerSecond: limit.sustained,
      low: round(low),
      high: round(high),
      kind: "counts refused requests",
    },
  };
  const most = limit.sustained * (1 + sustainedShare);
  const told = `${key}: admits ${low.toFixed(2)} to ${high.toFixed(2)}/s while refused ones count`;
  if (admitted > limit.burst + most * seconds) {
    return broken("rate.sustained", `${told}, promised ${limit.sustained}/s`, { evidence });
  }
  const far = sustainedShare * FAR_TOLERANCES;
  // A sliding window counter weighs the last window in whole requests: up to one a window is lost.
  const least = limit.sustained * (1 - far) - 1_000 / windowMs(limit);
  const isNear = low >= least && high <= limit.sustained * (1 + far);
  return isNear ? kept("rate.sustained", `${told} of ${limit.sustained}/s`, { evidence }) : null;
}

/** What counted after the first refusal, up to the last one. */
function countBetweenRefusals(shots: readonly Exchange[], limit: RateLimit) {
  const atMs = (shot: Exchange) => (shot.sentAtMs + answeredAtMs(shot)) / 2;
  const refusals = shotsWith(shots, "refused").map(atMs);
  const [fromMs, toMs] = [Math.min(...refusals), Math.max(...refusals)];
  if (refusals.length === 0 || toMs - fromMs < WINDOWS_MIN * windowMs(limit)) return null;
  const between = shots.filter((shot) => atMs(shot) > fromMs && atMs(shot) <= toMs);
  const admitted = shotsWith(between, "admitted").length;
  const refused = shotsWith(between, "refused").length;
  return { admitted, refused, seconds: (toMs - fromMs) / 1_000 };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
