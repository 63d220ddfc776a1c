/**
 * The points at which a fault can bend a decision of the service. Each takes the healthy decision
 * first and gives back the one to follow, so that faults add up and the healthy core knows none.
 */

import type { RateLimit } from "../contract/plans.ts";
import type { State } from "../contract/states.ts";
import type { Account } from "./accounts/account.ts";
import type { ReferenceKey } from "./accounts/keys.ts";
import type { BodyProblem } from "./catalogue/validation.ts";
import type { Worker } from "./catalogue/worker.ts";
import type { Answer, AnswerContext, Reason, RequestFacts } from "./http.ts";
import type { Cost, Job } from "./jobs/job.ts";
import type { Decision } from "./limiters/limiter.ts";

export type AuthOutcome =
  | { key: ReferenceKey; refusal: null }
  | { key: null; refusal: "missing-key" | "invalid-key" | "revoked-key" };

/** What a refused submission would have started, for a service that starts it all the same. */
export interface RefusedSubmission {
  reason: Reason;
  key: ReferenceKey;
  worker: Worker | null;
  account: Account;
  start(): void;
}

/** One delivery of a webhook that was answered, or not. */
export interface Attempt {
  job: Job;
  /** 1 for the first delivery. */
  number: number;
  /** 0 when no answer came. */
  status: number;
  cause: "answered" | "no-answer" | "refused" | "broken-off";
  /** Whether a redirection names where to; left out: not known, or none. */
  namesPage?: boolean;
}

export interface WebhookMessage {
  url: string;
  body: Readonly<Record<string, unknown>>;
}

/** One attempt as it goes out. */
export interface WebhookPost {
  method: "POST" | "PUT";
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Milliseconds after which an answer that has not come counts as none. */
  limitMs: number;
  /** Whether its connection may have served before and may serve again. */
  keepsConnection: boolean;
}

/** Which attempt goes out, and the headers of that body, signed so many ms later than now. */
export interface Outgoing extends Pick<Attempt, "job" | "number"> {
  signedHeaders(body: string, laterMs?: number): WebhookPost["headers"];
}

export type WebhookMoment = "terminal" | "running" | "polled";

/** A job's machine is lost while it runs: the job is queued again, and runs from the beginning. */
export interface Loss {
  /** Real milliseconds of the run until then, and in the queue from then on. */
  afterMs: number;
  waitMs: number;
  /** Whether the job goes on telling its first start. */
  keepsStart: boolean;
}

export type CancelEffect = "cancel" | "refuse" | "ignore";

export interface Hooks {
  authenticate(outcome: AuthOutcome, request: RequestFacts): AuthOutcome;
  /** Name of the allowance that a request uses up; one per key. */
  bucket(name: string, key: ReferenceKey, request: RequestFacts): string;
  limit(limit: RateLimit, key: ReferenceKey): RateLimit;
  decision(decision: Decision, key: ReferenceKey, request: RequestFacts, nowMs: number): Decision;
  /** Whole seconds that `Retry-After` tells. */
  retryAfterSeconds(seconds: number, key: ReferenceKey): number;
  answer(answer: Answer, context: AnswerContext): Answer;
  /** Real milliseconds that an answer is held back. */
  delayMs(delayMs: number, context: AnswerContext): number;
  /** `matching`: those that another query would find. */
  found(
    workers: readonly Worker[],
    all: readonly Worker[],
    request: RequestFacts,
    matching: (query: RequestFacts["query"]) => readonly Worker[],
  ): readonly Worker[];
  bodyProblem(
    problem: BodyProblem | null,
    worker: Worker,
    request: RequestFacts,
  ): BodyProblem | null;
  affordable(affordable: boolean, account: Account): boolean;
  /** A job that answers for a new submission; null: a new job does. */
  reused(job: Job | null, worker: Worker, key: ReferenceKey, webhook: string | null): Job | null;
  jobId(id: string, account: Account): string;
  /** Jobs that one submission starts. */
  jobsStarted(jobs: number, worker: Worker): number;
  refused(nothing: null, submission: RefusedSubmission): null;
  visible(visible: boolean, job: Job): boolean;
  /** Newest first; `recent` are more of the account's, oldest first. */
  listed(
    jobs: readonly Job[],
    recent: readonly Job[],
    strangers: () => readonly Job[],
  ): readonly Job[];
  /** Real milliseconds that a job waits before it may leave the queue. */
  queueMs(waitMs: number, job: Job): number;
  runMs(runMs: number, job: Job): number;
  /** Real milliseconds of running after which a job is stopped. */
  limitMs(limitMs: number, job: Job): number;
  /** null: it runs to its end. */
  loss(loss: Loss | null, job: Job, limitMs: number): Loss | null;
  /** State in which a job ends. */
  ending(state: State, job: Job): State;
  cost(cost: Cost, job: Job): Cost;
  /** What is taken from the balance for a job. */
  charge(microUsd: number, job: Job): number;
  cancel(effect: CancelEffect, job: Job): CancelEffect;
  /** State in which a job's webhook fires; `polled`: its end, once somebody has asked for it. */
  webhookMoment(moment: WebhookMoment, job: Job): WebhookMoment;
  /** null: nothing is sent. */
  webhook(
    message: WebhookMessage | null,
    job: Job,
    body: () => WebhookMessage["body"],
  ): WebhookMessage | null;
  signature(signature: string | null, body: string, job: Job): string | null;
  /** What goes out as an attempt. */
  post(post: WebhookPost, outgoing: Outgoing): WebhookPost;
  delivered(success: boolean, attempt: Attempt): boolean;
  /** Stated milliseconds before the next delivery; null: there is none. */
  retryWaitMs(waitMs: number | null, attempt: Attempt): number | null;
  /** Stated milliseconds until a delivery that succeeded is repeated; null: never. */
  repeatMs(waitMs: number | null, attempt: Attempt): number | null;
  /** Stated milliseconds after which another process tells of the job, too; null: there is none. */
  secondSenderMs(laterMs: number | null, job: Job): number | null;
  answerLimitMs(limitMs: number, job: Job): number;
}

export type HookName = keyof Hooks;

const keep = <Value>(value: Value): Value => value;

export const HEALTHY: Hooks = {
  authenticate: keep,
  bucket: keep,
  limit: keep,
  decision: keep,
  retryAfterSeconds: keep,
  answer: keep,
  delayMs: keep,
  found: keep,
  bodyProblem: keep,
  affordable: keep,
  reused: keep,
  jobId: keep,
  jobsStarted: keep,
  refused: keep,
  visible: keep,
  listed: keep,
  queueMs: keep,
  runMs: keep,
  limitMs: keep,
  loss: keep,
  ending: keep,
  cost: keep,
  charge: keep,
  cancel: keep,
  webhookMoment: keep,
  webhook: keep,
  signature: keep,
  post: keep,
  delivered: keep,
  retryWaitMs: keep,
  repeatMs: keep,
  secondSenderMs: keep,
  answerLimitMs: keep,
};

type AnyHook = (value: unknown, ...context: unknown[]) => unknown;

/** The hooks of several faults in one: each bends what the one before it made of the decision. */
export function combineHooks(parts: readonly Partial<Hooks>[]): Hooks {
  const combined: Record<string, AnyHook> = {};
  for (const name of Object.keys(HEALTHY) as HookName[]) {
    const bends = parts.flatMap((part) =>
      part[name] === undefined ? [] : [part[name] as AnyHook],
    );
    const [only] = bends;
    if (only === undefined) continue;
    const all: AnyHook = (value, ...context) =>
      bends.reduce((current, bend) => bend(current, ...context), value);
    combined[name] = bends.length === 1 ? only : all;
  }
  return { ...HEALTHY, ...(combined as Partial<Hooks>) };
}
