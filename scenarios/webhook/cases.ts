/** Which jobs are submitted, and how their webhooks are answered. */

import type { AnswerStep } from "../../contract/delivery.ts";
import type { CaseKind } from "../../contract/judges/webhook/case.ts";
import { SILENCE_MS } from "../../contract/judges/webhook/retries.ts";
import type { Part, RunPlan } from "../../contract/run-plan.ts";
import { WEBHOOK_RETRY_WAITS_MS } from "../../contract/webhook-schedule.ts";

export interface CaseSpec {
  kind: CaseKind;
  part: Part;
  script: readonly AnswerStep[];
  /** How long the receiver is watched after the first delivery, on the service's clock. */
  watchMs: number;
  /** Cancelled at once; submitted behind others so that it queues. */
  cancel: boolean;
}

const OK = { kind: "status", status: 200, delayMs: 0 } as const;
const ERROR: AnswerStep = { kind: "status", status: 500, delayMs: 0 };
const NOT_FOUND: AnswerStep = { kind: "status", status: 404, delayMs: 0 };

/** A repetition after the first or the second wait would be seen. */
const ONCE_WATCH_MS = 36_000;
/** Ours: late retries are still seen as late ones. */
const LATE_SHARE = 1.15;
const MARGIN_MS = 6_000;

const [FIRST_WAIT_MS, SECOND_WAIT_MS, THIRD_WAIT_MS] = WEBHOOK_RETRY_WAITS_MS;
const LADDER_MS = (FIRST_WAIT_MS + SECOND_WAIT_MS + THIRD_WAIT_MS) * LATE_SHARE;
/** On the service's clock: what counts as in time and as too late, with room for a fast clock. */
const ANSWERS_MS = { real: [9_000, 11_000], fast: [5_000, 15_000] } as const;

export function caseSpecs(plan: RunPlan): readonly CaseSpec[] {
  const [inTimeMs, tooLateMs] = plan.timeScale < 1 ? ANSWERS_MS.fast : ANSWERS_MS.real;
  const slowly = (ms: number): AnswerStep => ({ ...OK, delayMs: ms * plan.timeScale });
  const specs: CaseSpec[] = [
    ...many(6, "first", "success", [OK], ONCE_WATCH_MS),
    ...many(2, "first", "failure", [OK], ONCE_WATCH_MS),
    ...many(2, "first", "timeout", [OK], ONCE_WATCH_MS),
    ...many(3, "ladder", "success", [ERROR], LADDER_MS + SILENCE_MS + MARGIN_MS),
    ...many(2, "not-found", "success", [NOT_FOUND, OK], ONCE_WATCH_MS),
    ...many(2, "reset", "success", [{ kind: "reset" }, OK], ONCE_WATCH_MS),
    ...many(2, "silent", "success", [{ kind: "silent" }, OK], ONCE_WATCH_MS),
    ...many(3, "in-time", "success", [slowly(inTimeMs)], ONCE_WATCH_MS),
    ...many(3, "too-late", "success", [slowly(tooLateMs), OK], ONCE_WATCH_MS),
    ...many(2, "recovery", "success", [ERROR, OK], FIRST_WAIT_MS * LATE_SHARE + ONCE_WATCH_MS),
    ...many(1, "recovery", "success", [ERROR, ERROR, OK], LADDER_MS + MARGIN_MS),
    ...many(1, "recovery", "success", [ERROR, ERROR, ERROR, OK], LADDER_MS + ONCE_WATCH_MS),
    ...many(5, "first", "slow", [OK], ONCE_WATCH_MS),
    ...cancelled(plan),
  ];
  if (plan.receiver?.refusingUrl != null) {
    specs.push(...many(1, "refused", "success", [OK], ONCE_WATCH_MS));
  }
  return specs.filter(({ part }) => plan.workers[part] !== undefined);
}

/** Only with a method that is known: here is not the place to explore. */
function cancelled(plan: RunPlan): CaseSpec[] {
  if (plan.cancel === null || plan.cancel.method === "auto") return [];
  return many(2, "first", "slow", [OK], ONCE_WATCH_MS).map((spec) => ({ ...spec, cancel: true }));
}

function many(
  count: number,
  kind: CaseKind,
  part: Part,
  script: readonly AnswerStep[],
  watchMs: number,
): CaseSpec[] {
  return Array.from({ length: count }, () => ({ kind, part, script, watchMs, cancel: false }));
}
