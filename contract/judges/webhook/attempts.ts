/** Each attempt at a delivery by itself: how it was answered, and what came after it. Spec §6. */

import { isObject } from "../../decode/decoded.ts";
import type { AnswerStep, Delivery } from "../../delivery.ts";
import { formatStep } from "../../delivery.ts";
import { jsonReader } from "../../json-body.ts";
import type { PromisedTimes } from "../../run-plan.ts";
import { utc } from "../../timestamps.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { isSuccessStep } from "./case.ts";

export interface Attempt {
  each: WebhookCase;
  /** Number of the attempt, from 1. */
  number: number;
  delivery: Delivery;
  /** What came after it. */
  next: Delivery | null;
}

/** Of a job whose first attempt was refused nobody knows how many there were. */
export function attemptsOf(cases: readonly WebhookCase[]): readonly Attempt[] {
  return cases
    .filter(({ kind, jobId }) => kind !== "refused" && jobId !== null)
    .flatMap((each) =>
      each.deliveries.map((delivery, at) => {
        return { each, number: at + 1, delivery, next: each.deliveries[at + 1] ?? null };
      }),
    );
}

/** The failed ones among them. */
export function failedIn({ cases, times }: WebhookRun): readonly Attempt[] {
  return attemptsOf(cases).filter(({ delivery }) => isFailure(delivery.answer, times));
}

/** Whether a sender has to try again. Another 2xx than 200 is open, a late 200 is judged apart. */
export function isFailure(step: AnswerStep, { webhookAnswerMs }: PromisedTimes): boolean {
  if (step.kind !== "status") return true;
  return step.status >= 300 && step.delayMs < webhookAnswerMs;
}

/** How an attempt failed, in words. */
export function failureText(step: AnswerStep): string {
  if (step.kind === "reset") return "a reset connection";
  if (step.kind === "silent") return "no response";
  return `status ${step.status}${step.bodyMs === undefined ? "" : " with a slow body"}`;
}

/** Answered 200 while the sender was still there: one that hung up may not know of the answer. */
export function isTaken(delivery: Delivery | undefined): boolean {
  if (delivery === undefined || !isSuccessStep(delivery.answer)) return false;
  return delivery.answeredAtMs !== null && delivery.hungUpAtMs === null;
}

/** Answered 200, and not at once, or with a body that took its time. */
export function isSlowSuccess({ answer }: Delivery): boolean {
  return isSuccessStep(answer) && takesMs(answer) > 0;
}

/** From the arrival until the whole answer was there. */
export function takesMs(answer: AnswerStep): number {
  return answer.kind === "status" ? answer.delayMs + (answer.bodyMs ?? 0) : 0;
}

/**
 * When the attempt was over for its sender, at the latest: with the answer and its body; where none
 * came, when it hung up, or the time for an answer had passed. Spec §6.
 */
export function overAtMs({ arrivedAtMs, answer, ...delivery }: Delivery, times: PromisedTimes) {
  const answeredAtMs = delivery.answeredAtMs ?? arrivedAtMs;
  if (answer.kind === "silent") {
    return Math.max(delivery.hungUpAtMs ?? 0, arrivedAtMs + times.webhookAnswerMs);
  }
  return answeredAtMs + (answer.kind === "status" ? (answer.bodyMs ?? 0) : 0);
}

/** What was asked for and how it was answered, as evidence; times are UTC. */
export function attemptTexts({ deliveries }: WebhookCase): readonly string[] {
  return deliveries.map((delivery, at) => {
    const { arrivedAtMs, method, answer, answeredAtMs, hungUpAtMs } = delivery;
    const after = (ms: number) => `after ${Math.round(ms - arrivedAtMs)} ms`;
    const answered = answeredAtMs === null ? "" : ` ${after(answeredAtMs)}`;
    const left = hungUpAtMs === null ? "" : `, hung up ${after(hungUpAtMs)}`;
    return `${at + 1}: ${utc(arrivedAtMs)} ${method}, ${formatStep(answer)}${answered}${left}`;
  });
}

/** The body as JSON, not to be changed; undefined when it is none, was cut, or nests too deep. */
export const bodyOf: (delivery: Delivery) => unknown = jsonReader();

/** The job that a delivery is about; null when its body does not say. */
export function namedJob(delivery: Delivery): string | null {
  const body = bodyOf(delivery);
  if (!isObject(body)) return null;
  const id = body.job_uuid ?? body.job_id;
  return typeof id === "string" ? id : null;
}
