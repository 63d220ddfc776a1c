/** Delivers webhooks: what is posted, and the redeliveries on schedule. Spec §6. */

import type { Clock } from "../../contract/time/clock.ts";
import {
  WEBHOOK_ANSWER_LIMIT_MS,
  WEBHOOK_RETRY_WAITS_MS,
  WEBHOOK_SIGNATURE_HEADER,
} from "../../contract/webhook-schedule.ts";
import { wholeMs } from "../clock.ts";
import type { Attempt, Hooks, WebhookMessage, WebhookPost } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import type { ReferenceOptions } from "../options.ts";
import type { Random } from "../random.ts";
import { companionHeaders, secretOf, signatureOf } from "./signature.ts";

/** How an attempt ended, and how long its answer's body then took; left out: not known. */
interface Posted extends Pick<Attempt, "status" | "cause" | "namesPage"> {
  bodyMs?: number;
}

/** One attempt to deliver; never rejects. */
export type PostWebhook = (post: WebhookPost) => Promise<Posted>;

interface SenderParts {
  options: ReferenceOptions;
  clock: Clock;
  random: Random;
  hooks: () => Hooks;
  body: (job: Job) => Readonly<Record<string, unknown>>;
  post: PostWebhook;
  /** Writes JSON. */
  spell: (value: unknown) => string;
}

interface Delivery extends WebhookMessage {
  job: Job;
}

export class WebhookSender {
  private readonly parts: SenderParts;
  private closed = false;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  announce(job: Job): void {
    if (job.webhookFired) return;
    job.webhookFired = true;
    const { choices, timeScale } = this.parts.options;
    const { webhookAfter: after } = choices;
    const seconds = after === "up to 4" ? 4 * this.parts.random() : Number(after);
    const afterMs = seconds * 1_000 * timeScale;
    if (afterMs === 0) this.fire(job);
    else this.parts.clock.after(afterMs, () => this.fire(job));
  }

  private fire(job: Job): void {
    const body = () => this.parts.body(job);
    const healthy = job.webhook === null ? null : { url: job.webhook, body: body() };
    const { hooks, clock, options } = this.parts;
    const message = hooks().webhook(healthy, job, body);
    if (message === null) return;
    void this.deliver({ job, ...message }, 1);
    const laterMs = hooks().secondSenderMs(null, job);
    if (laterMs === null) return;
    clock.after(laterMs * options.timeScale, () => void this.deliver({ job, ...message }, 1));
  }

  /** What is under way is not followed up. */
  close(): void {
    this.closed = true;
  }

  private async deliver(delivery: Delivery, number: number): Promise<void> {
    const { clock, options } = this.parts;
    const startMs = clock.nowMs();
    const answer = await this.parts.post(this.postOf(delivery, number));
    if (this.closed) return;
    const attempt: Attempt = { job: delivery.job, number, ...answer };
    const tookMs = clock.nowMs() - startMs;
    const waitMs = this.nextWaitMs(attempt);
    if (waitMs === null) return;
    const scaledMs = waitMs * options.timeScale;
    const fromStart = options.choices.webhookWaitFrom === "start";
    const restMs = Math.max(0, fromStart ? scaledMs - tookMs : scaledMs);
    clock.after(restMs, () => void this.deliver(delivery, number + 1));
  }

  /** Stated wait before the next delivery; null when this was the last. */
  private nextWaitMs(attempt: Attempt): number | null {
    const hooks = this.parts.hooks();
    if (hooks.delivered(attempt.status === 200, attempt)) return hooks.repeatMs(null, attempt);
    return hooks.retryWaitMs(WEBHOOK_RETRY_WAITS_MS[attempt.number - 1] ?? null, attempt);
  }

  private postOf(delivery: Delivery, number: number): WebhookPost {
    const { url, job } = delivery;
    const { options, hooks, spell } = this.parts;
    const body = spell(this.bodyOf(delivery, number));
    const limitMs = hooks().answerLimitMs(WEBHOOK_ANSWER_LIMIT_MS, job) * options.timeScale;
    const keepsConnection = options.choices.webhookConnections === "kept";
    const signedHeaders = (text: string, laterMs = 0) => this.headers(job, text, laterMs);
    const headers = signedHeaders(body);
    return hooks().post(
      { method: "POST", url, headers, body, limitMs, keepsConnection },
      { job, number, signedHeaders },
    );
  }

  private bodyOf({ job, body }: Delivery, number: number): WebhookMessage["body"] {
    if (number === 1 || this.parts.options.choices.firedAt === "first") return body;
    const { fired_at } = this.parts.body(job);
    return "fired_at" in body ? { ...body, fired_at } : body;
  }

  private headers(job: Job, text: string, laterMs: number): Record<string, string> {
    const { choices } = this.parts.options;
    const secret = secretOf(this.parts.options, job.account.id);
    const atMs = wholeMs(this.parts.clock) + laterMs;
    const message = { body: text, id: `msg_${job.id}`, atMs };
    const healthy = signatureOf(choices.signature, secret, message);
    const signature = this.parts.hooks().signature(healthy, text, job);
    return {
      "content-type": "application/json",
      "user-agent": "reference-webhooks/1",
      ...companionHeaders(choices.signature, message),
      ...(signature === null ? {} : { [WEBHOOK_SIGNATURE_HEADER]: signature }),
    };
  }
}
