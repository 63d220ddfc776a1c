/**
 * What a key earns while it is refused: refused requests may count, and a refusal may be punished
 * for a while. No promise speaks of either, so it is a note. Spec §8.
 */

import { rounded } from "../../numbers/figures.ts";
import type { RateLimit } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { inTurn } from "./ascending.ts";
import type { MeasuredTrial } from "./measured.ts";
import { outcomeOf, shotsWith, spanSeconds } from "./trial.ts";

/** Ours: what comes unevenly gets less by no more than this share. */
const LESS_SHARE = 0.9;

/** One note for all keys; none where each earned its plan. */
export function earnedNotes(trials: readonly MeasuredTrial[]): readonly string[] {
  const short = trials.flatMap((trial) => earned(trial) ?? []);
  if (short.length === 0) return [];
  const what = "requests that are refused seem to count, or to be punished";
  return [`while they were refused, keys got less than their plans: ${short.join(", ")}; ${what}`];
}

/** Null where the key got its plan, or was not under overload. */
function earned({ key, limit, drain, limiter }: MeasuredTrial): string | null {
  if (drain === null || limiter === null) return null;
  const sent = inTurn(drain.press);
  const first = sent.findIndex((shot) => outcomeOf(shot) === "refused");
  const since = first < 0 ? [] : sent.slice(first);
  // Answers that are late by themselves are no time in which it was asked for more.
  const seconds = spanSeconds(since, ({ sentAtMs }) => sentAtMs);
  const admitted = shotsWith(since, "admitted").length;
  const isWhole = since.every((shot) => outcomeOf(shot) !== "failed");
  const isPressed = since.length > limit.sustained * seconds;
  // Of windows the last one may have been about to begin.
  const most = admitted + limit.burst;
  if (!isWhole || !isPressed || most >= LESS_SHARE * askedOf(since, limit)) return null;
  return `${key} ${rounded(admitted / seconds, 1)} of ${limit.sustained}/s`;
}

/** How many a bucket admits that is empty at first: a long pause earns it no more than a burst. */
function askedOf(sent: readonly Exchange[], { sustained, burst }: RateLimit): number {
  let [held, admitted, lastMs] = [0, 0, sent[0]?.sentAtMs ?? 0];
  for (const { sentAtMs } of sent) {
    held = Math.min(burst, held + ((sentAtMs - lastMs) / 1_000) * sustained);
    lastMs = sentAtMs;
    if (held < 1) continue;
    held -= 1;
    admitted += 1;
  }
  return admitted;
}
