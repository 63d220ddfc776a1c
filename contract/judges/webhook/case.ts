/** One job with a webhook, and all that was seen of it: the observation of the webhook judges. */

import type { AnswerStep, Delivery } from "../../delivery.ts";
import type { Exchange } from "../../exchange.ts";
import type { EndState } from "../../job-history.ts";
import type { Tolerances } from "../../run-plan.ts";

/** What a case is there to show. */
export type CaseKind =
  | "first"
  | "ladder"
  | "not-found"
  | "reset"
  | "silent"
  | "refused"
  | "in-time"
  | "too-late"
  | "recovery";

export interface WebhookCase {
  kind: CaseKind;
  /** Worker that ran it, and how it should end. */
  part: string;
  expected: EndState;
  script: readonly AnswerStep[];
  submission: Exchange;
  jobId: string | null;
  deliveries: readonly Delivery[];
  /** Looks at the job that were sent after the first delivery had arrived, in order. */
  looks: readonly Exchange[];
  /** When the end of the job was known; null when it never was. */
  endKnownAtMs: number | null;
  /** Until then the receiver was watched. */
  watchedUntilMs: number;
}

export interface WebhookRun {
  cases: readonly WebhookCase[];
  /** Jobs submitted without a webhook. */
  unasked: readonly { jobId: string; watchedUntilMs: number }[];
  timeScale: number;
  tolerances: Tolerances;
  /** How late the suite itself was at most; added to bounds where clocks run fast. */
  lagMs: number;
  /** What the plan says of the receiver's signature check. */
  signatureScheme: string;
}

/** A time that the service states, on its clock in this run. */
export function scaled(run: WebhookRun, ms: number): number {
  return ms * run.timeScale;
}

/** The lag that counts: on a clock in real time the tolerances are wide enough by themselves. */
export function lagOf(run: WebhookRun): number {
  return run.timeScale < 1 ? run.lagMs : 0;
}

export function casesOf(run: WebhookRun, ...kinds: readonly CaseKind[]): readonly WebhookCase[] {
  return run.cases.filter((each) => kinds.includes(each.kind) && each.jobId !== null);
}

/** Deliveries as evidence quotes them. */
export function timesOf(each: WebhookCase): readonly number[] {
  const first = each.deliveries[0]?.arrivedAtMs ?? 0;
  return each.deliveries.map((delivery) => Math.round(delivery.arrivedAtMs - first));
}

/** True when the step was answered at once: only such attempts time a wait. */
export function isPrompt(step: AnswerStep | undefined): boolean {
  return step?.kind === "status" && step.delayMs === 0;
}

export function isSuccessStep(step: AnswerStep | undefined): boolean {
  return step?.kind === "status" && step.status === 200;
}
