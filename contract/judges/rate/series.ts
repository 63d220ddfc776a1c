/** What a key's trial looked like over time, for the report's plots. */

import type { Exchange } from "../../exchange.ts";
import { leastOf, mostOf } from "../../extremes.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { RateSeries, RequestSteps } from "../../series.ts";
import type { KeyTrial, ShotOutcome } from "./trial.ts";
import { answeredAtMs, outcomeOf, shotsWith } from "./trial.ts";

/** Ours: finer steps than the points of a plot show nothing more. */
const STEPS_MAX = 200;
/** Ours: sends and answers are told apart no finer. */
const STEP_MS_MIN = 5;
/** Ours: a trial has three to nine of each; more of them say the same again. */
const LISTED_MAX = 24;

export function rateSeries(trial: KeyTrial, tolerances: Tolerances): RateSeries {
  const { key, plan, limit, drain, below, volleys: bursts, returns } = trial;
  return {
    key,
    plan,
    declared: { sustained: limit.sustained, burst: limit.burst },
    tolerated: {
      sustained: limit.sustained * (1 + tolerances.sustainedShare),
      burst: limit.burst + tolerances.burstExcess,
    },
    drain: drain === null ? null : requestSteps([...drain.volley.shots, ...drain.press]),
    below: below === null ? null : requestSteps(below.shots),
    volleys: bursts.slice(0, LISTED_MAX).map(({ shots }) => ({
      sent: shots.length,
      admitted: shotsWith(shots, "admitted").length,
      refused: shotsWith(shots, "refused").length,
      failed: shotsWith(shots, "failed").length,
    })),
    returns: returns.slice(0, LISTED_MAX).map(({ toldMs, waitedMs, probe }) => ({
      toldMs: Math.round(toldMs),
      waitedMs: Math.round(waitedMs),
      admitted: outcomeOf(probe) !== "refused",
    })),
  };
}

/** Null without a request. */
function requestSteps(shots: readonly Exchange[]): RequestSteps | null {
  if (shots.length === 0) return null;
  const startMs = leastOf(shots.map(({ sentAtMs }) => sentAtMs));
  const endMs = mostOf(shots.map(({ receivedAtMs }) => receivedAtMs));
  const stepMs = Math.max(STEP_MS_MIN, Math.ceil((endMs - startMs + 1) / STEPS_MAX));
  const length = Math.floor((endMs - startMs) / stepMs) + 1;
  const counted = (times: readonly number[]) => {
    const counts = Array.from({ length }, () => 0);
    for (const atMs of times) {
      const step = Math.min(length - 1, Math.floor((atMs - startMs) / stepMs));
      counts[step] = (counts[step] ?? 0) + 1;
    }
    return counts;
  };
  const answered = (outcome: ShotOutcome) => counted(shotsWith(shots, outcome).map(answeredAtMs));
  return {
    stepMs,
    sent: counted(shots.map(({ sentAtMs }) => sentAtMs)),
    admitted: answered("admitted"),
    refused: answered("refused"),
    failed: answered("failed"),
  };
}
