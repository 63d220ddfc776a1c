/** Delivers webhooks: one POST, its answer limit, and the redeliveries on schedule. Spec §6. */

import { performance } from "node:perf_hooks";
import { Agent, request } from "undici";
import {
  WEBHOOK_ANSWER_LIMIT_MS,
  WEBHOOK_RETRY_WAITS_MS,
  WEBHOOK_SIGNATURE_HEADER,
} from "../../contract/webhook-schedule.ts";
import type { Timers } from "../clock.ts";
import type { Attempt, Hooks } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import type { ReferenceOptions } from "../options.ts";
import { companionHeaders, signatureOf } from "./signature.ts";

interface SenderParts {
  options: ReferenceOptions;
  timers: Timers;
  hooks: () => Hooks;
  body: (job: Job) => Readonly<Record<string, unknown>>;
}

interface Delivery {
  job: Job;
  url: string;
  text: string;
}

export class WebhookSender {
  private readonly parts: SenderParts;
  private readonly agent = new Agent({ pipelining: 1 });
  private closed = false;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  announce(job: Job): void {
    if (job.webhookFired) return;
    job.webhookFired = true;
    const body = () => this.parts.body(job);
    const healthy = job.webhook === null ? null : { url: job.webhook, body: body() };
    const message = this.parts.hooks().webhook(healthy, job, body);
    if (message === null) return;
    void this.deliver({ job, url: message.url, text: JSON.stringify(message.body) }, 1);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.agent.destroy();
  }

  private async deliver(delivery: Delivery, number: number): Promise<void> {
    const startMs = performance.now();
    const answer = await this.post(delivery);
    if (this.closed) return;
    const attempt: Attempt = { job: delivery.job, number, ...answer };
    const tookMs = performance.now() - startMs;
    const waitMs = this.nextWaitMs(attempt);
    if (waitMs === null) return;
    const scaledMs = waitMs * this.parts.options.timeScale;
    const fromStart = this.parts.options.choices.webhookWaitFrom === "start";
    const restMs = Math.max(0, fromStart ? scaledMs - tookMs : scaledMs);
    this.parts.timers.after(restMs, () => void this.deliver(delivery, number + 1));
  }

  /** Stated wait before the next delivery; null when this was the last. */
  private nextWaitMs(attempt: Attempt): number | null {
    const hooks = this.parts.hooks();
    if (hooks.delivered(attempt.status === 200, attempt)) return hooks.repeatMs(null, attempt);
    return hooks.retryWaitMs(WEBHOOK_RETRY_WAITS_MS[attempt.number - 1] ?? null, attempt);
  }

  /** One attempt on a connection of its own, so that no stale one is mistaken for a failure. */
  private async post(delivery: Delivery): Promise<Pick<Attempt, "status" | "cause">> {
    const abort = new AbortController();
    const statedMs = this.parts.hooks().answerLimitMs(WEBHOOK_ANSWER_LIMIT_MS, delivery.job);
    const limitMs = statedMs * this.parts.options.timeScale;
    const callOff = this.parts.timers.after(limitMs, () => abort.abort());
    try {
      const { statusCode, body } = await request(delivery.url, {
        dispatcher: this.agent,
        method: "POST",
        headers: this.headers(delivery),
        body: delivery.text,
        reset: true,
        headersTimeout: 0,
        bodyTimeout: 0,
        signal: abort.signal,
      });
      body
        .dump()
        .catch(() => undefined)
        .finally(callOff);
      return { status: statusCode, cause: "answered" };
    } catch (error) {
      callOff();
      return { status: 0, cause: abort.signal.aborted ? "no-answer" : causeOf(error) };
    }
  }

  private headers({ job, text }: Delivery): Record<string, string> {
    const { choices, signingSecret } = this.parts.options;
    const message = { body: text, id: `msg_${job.id}`, atMs: Date.now() };
    const healthy = signatureOf(choices.signature, signingSecret, message);
    const signature = this.parts.hooks().signature(healthy, text, job);
    return {
      "content-type": "application/json",
      "user-agent": "reference-webhooks/1",
      ...companionHeaders(choices.signature, message),
      ...(signature === null ? {} : { [WEBHOOK_SIGNATURE_HEADER]: signature }),
    };
  }
}

function causeOf(error: unknown): Attempt["cause"] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNREFUSED" ? "refused" : "broken-off";
}
