/** Each attempt at a delivery by itself: how it was answered, and what it says. Spec §6. */

import { jsonReader } from "../../answers/json-body.ts";
import { isObject } from "../../decode/decoded.ts";
import type { AnswerStep, Delivery } from "../../jobs/delivery.ts";
import type { PromisedTimes } from "../../run/run-plan.ts";
import type { WebhookRun } from "./case.ts";
import { isSuccessStep } from "./case.ts";

/** Whether a sender has to try again. Another 2xx than 200 is open, a late 200 is judged apart. */
export function isFailure(step: AnswerStep, { webhookAnswerMs }: PromisedTimes): boolean {
  if (step.kind !== "status") return true;
  return step.status >= 300 && step.delayMs < webhookAnswerMs;
}

export function failureText(step: AnswerStep): string {
  if (step.kind === "reset") return "a reset connection";
  if (step.kind === "silent") return "no response";
  return `status ${step.status}${step.bodyMs === undefined ? "" : " with a slow body"}`;
}

/** Answered 200 while the sender was still there: one that hung up may not know of the answer. */
export function isTaken({ answer, answeredAtMs, hungUpAtMs }: Delivery): boolean {
  return isSuccessStep(answer) && answeredAtMs !== null && hungUpAtMs === null;
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

/** The body as JSON, not to be changed; undefined when it is none, was cut, or nests too deep. */
export const bodyOf: (delivery: Delivery) => unknown = jsonReader();

/** The job that a delivery is about; null when its body does not say. */
export function namedJob(delivery: Delivery): string | null {
  const body = bodyOf(delivery);
  if (!isObject(body)) return null;
  const id = body.job_uuid ?? body.job_id;
  return typeof id === "string" ? id : null;
}

/** Whether its sender opened a connection for it. */
export function isOpened(run: Pick<WebhookRun, "isProxied">, delivery: Delivery): boolean {
  return delivery.requestsBefore === 0 && !isPassedOn(run, delivery);
}

/** A proxy's connection tells nothing of the sender's. */
export function isPassedOn(
  { isProxied }: Pick<WebhookRun, "isProxied">,
  { headers }: Delivery,
): boolean {
  return isProxied || PROXY_HEADERS.some((name) => headers[name] !== undefined);
}

/** RFC 9110 §7.6.3, RFC 7239, and the usual one. */
const PROXY_HEADERS = ["via", "forwarded", "x-forwarded-for"] as const;
