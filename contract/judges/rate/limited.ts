/** rate.limited and rate.within-plan: 429 above the plan, and none below it. Spec §7, §8. */

import type { Exchange } from "../../exchange.ts";
import { isSuccess } from "../../exchange.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { KeyTrial } from "./trial.ts";
import {
  excessShots,
  outcomeOf,
  shotsWith,
  spanSeconds,
  steadyShots,
  unlawfullyRefused,
} from "./trial.ts";

/** Ours: one failed request in a press is the network's; this many are a way to refuse. */
const FAILURES_MIN = 2;
const FAILED_SHARE_MIN = 0.01;
/** Ours: only a press this far above the plan obliges the service to refuse. */
const OVERLOAD_FACTOR = 1.2;

export function judgeLimited(trial: KeyTrial): Finding {
  const promise = "rate.limited";
  const shots = excessShots(trial);
  const refused = shotsWith(shots, "refused");
  const unanswered = shotsWith(shots, "failed").filter(({ error }) => error === "timeout");
  const failed = shotsWith(shots, "failed").filter(({ error }) => error !== "timeout");
  const evidence = {
    [trial.key]: {
      requests: shots.length,
      refused: refused.length,
      failed: failed.length,
      unanswered: unanswered.length,
    },
  };
  const within = trial.below === null ? [] : steadyShots(trial.below);
  const failsBelow = shotsWith(within, "failed").length;
  if (isMuch(failed, shots) && failsBelow === 0 && trial.below !== null) {
    const how = failed[0]?.status === 0 ? "no answer" : `answer ${failed[0]?.status}`;
    return broken(
      promise,
      `${trial.key}: above the plan ${failed.length} of ${shots.length} requests got ${how}, ` +
        `none did below it; promised 429`,
      { evidence, exchanges: failed },
    );
  }
  const otherwise = refusedOtherwise(trial.submissions);
  if (otherwise.length > 0) {
    const statuses = [...new Set(otherwise.map(({ status }) => status || "none"))].join(", ");
    const how = `${otherwise.length} of ${trial.submissions.length} submissions`;
    return broken(
      promise,
      `${trial.key}: above the plan ${how} got ${statuses}, and 202 below it; promised 429`,
      { evidence, exchanges: otherwise },
    );
  }
  if (isMuch(unanswered, shots)) {
    const reason = `${unanswered.length} of ${shots.length} requests above the plan timed out`;
    return inconclusive(promise, `${trial.key}: ${reason}`, { evidence });
  }
  if (refused.length > 0) {
    return kept(promise, `${trial.key}: ${refused.length} of ${shots.length} requests got 429`, {
      evidence,
      strength: looksAt(refused.length, "refusals"),
    });
  }
  return unlimited(trial, evidence);
}

/** Ours: one may meet a fault of another kind, most of them don't. */
const OTHERWISE_SHARE_MIN = 0.5;
/** No credits left, no such worker, or too many requests. Spec §7. */
const LAWFUL_REFUSALS = [402, 404, 429];

/** Submissions on an exhausted key that were neither accepted nor answered 429, where most were. */
function refusedOtherwise(submissions: readonly Exchange[]): readonly Exchange[] {
  const other = submissions.filter(
    (each) =>
      !isSuccess(each) && each.error !== "timeout" && !LAWFUL_REFUSALS.includes(each.status),
  );
  return other.length > submissions.length * OTHERWISE_SHARE_MIN ? other : [];
}

function isMuch(some: readonly Exchange[], shots: readonly Exchange[]): boolean {
  return some.length >= FAILURES_MIN && some.length >= FAILED_SHARE_MIN * shots.length;
}

function unlimited(trial: KeyTrial, evidence: Finding["evidence"]): Finding {
  const promise = "rate.limited";
  const { drain, limit, key } = trial;
  if (drain === null) return unobserved(promise, `${key} was never pressed beyond its plan`);
  const shots = [...drain.volley.shots, ...drain.press];
  const allowed = limit.burst + limit.sustained * spanSeconds(shots);
  const admitted = shotsWith(shots, "admitted");
  if (admitted.length < allowed * OVERLOAD_FACTOR) {
    return inconclusive(
      promise,
      `${key}: the generator got ${admitted.length} requests through in ` +
        `${spanSeconds(shots).toFixed(1)} s, too few to exceed the plan`,
      { evidence },
    );
  }
  return broken(
    promise,
    `${key}: ${admitted.length} requests in ${spanSeconds(shots).toFixed(1)} s and no 429; ` +
      `the plan allows ${Math.floor(allowed)}`,
    { evidence, exchanges: admitted.slice(-1) },
  );
}

/** Ours: what the even stretch must have reached of what it set out for to say anything. */
const STRETCH_SHARE_MIN = 0.85;

export function judgeWithinPlan(trial: Pick<KeyTrial, "key" | "limit" | "below">): Finding {
  const promise = "rate.within-plan";
  const { below, limit, key } = trial;
  if (below === null) return unobserved(promise, `${key} was not tried below its plan`);
  const shots = steadyShots(below);
  const refused = shotsWith(shots, "refused");
  const rate = sentPerSecond(shots);
  const evidence = {
    [key]: { requests: shots.length, perSecond: round(rate), refused: refused.length },
  };
  if (unlawfullyRefused(below, limit).length > 0) {
    return broken(
      promise,
      `${key}: ${refused.length} of ${shots.length} requests got 429 at an even ` +
        `${rate.toFixed(1)}/s; the plan promises ${limit.sustained}/s`,
      { evidence, exchanges: refused },
    );
  }
  if (refused.length > 0) {
    const reason =
      `${key}: ${refused.length} requests got 429, but may have come closer together than they ` +
      "were sent, beyond what a lawful limiter admits";
    return inconclusive(promise, reason, { evidence, exchanges: refused });
  }
  if (rate < below.offeredPerSecond * STRETCH_SHARE_MIN) {
    return inconclusive(
      promise,
      `${key}: the generator reached ${rate.toFixed(1)}/s, too little below ${limit.sustained}/s`,
      { evidence },
    );
  }
  const answered = shots.filter((shot) => outcomeOf(shot) === "admitted").length;
  if (answered < shots.length / 2) {
    return inconclusive(promise, `${key}: most requests below the plan failed`, { evidence });
  }
  return kept(promise, `${key}: ${answered} requests at ${rate.toFixed(1)}/s, none refused`, {
    evidence,
    strength: looksAt(answered, "requests"),
  });
}

/** By the sendings alone: a slow answer to the last request says nothing of the generator. */
export function sentPerSecond(shots: readonly Exchange[]): number {
  const sent = shots.map(({ sentAtMs }) => sentAtMs);
  const seconds = (Math.max(...sent) - Math.min(...sent)) / 1_000;
  return (shots.length - 1) / Math.max(seconds, 0.001);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
