/** Jobs as the two variants of the interface spell them. Spec §2.4-§2.8. */

import { STATE_SPELLINGS, type Variant } from "../../contract/states.ts";
import { toCredits, toUsd } from "../accounts/account.ts";
import { type Performance, runPrice, type Worker } from "../catalogue/worker.ts";
import type { Choices } from "../choices.ts";
import { isoTimestamp } from "../timestamps.ts";
import { isDone, type Job, totalMicroUsd } from "./job.ts";

type Fields = Record<string, unknown>;

/** The value that `empty` shows in place of none, by the kind of field. */
const EMPTY = { text: "", number: 0, object: {} } as const;

export class JobRenderer {
  readonly variant: Variant;
  private readonly choices: Choices;
  private readonly baseUrl: () => string;

  constructor(variant: Variant, choices: Choices, baseUrl: () => string) {
    this.variant = variant;
    this.choices = choices;
    this.baseUrl = baseUrl;
  }

  billingMode(worker: Worker): string {
    return worker.billing === "run" ? "per_run" : this.choices.eventBilling;
  }

  time(atMs: number): string {
    return isoTimestamp(atMs, this.choices.utc);
  }

  status(job: Job): string {
    return STATE_SPELLINGS[this.variant][job.state] ?? job.state;
  }

  /** The answer to a submission: always queued, whatever the job does meanwhile. Spec §3.2. */
  accepted(job: Job, atMs: number): Fields {
    const status = STATE_SPELLINGS[this.variant].queued;
    if (this.variant === "B") {
      const submitted_at = this.time(atMs);
      return { job_uuid: job.id, worker_id: job.worker.id, status, submitted_at };
    }
    return {
      job_uuid: job.id,
      status,
      worker: job.worker.id,
      cost_estimate_credits: toCredits(runPrice(job.worker, job.input) + job.worker.infraMicroUsd),
      created_at: this.time(atMs),
    };
  }

  full(job: Job): Fields {
    return this.variant === "A" ? this.fullA(job) : this.fullB(job);
  }

  summary(job: Job): Fields {
    const status = this.status(job);
    return this.variant === "A"
      ? { job_uuid: job.id, status, worker: job.worker.id }
      : { job_id: job.id, status, worker_id: job.worker.id };
  }

  /** A worker's output as variant A shows it, and every webhook. */
  result(job: Job): unknown {
    const performance = job.state === "completed" ? job.performance : null;
    return this.orNone(performance === null ? null : plainResult(performance), "object");
  }

  private fullA(job: Job): Fields {
    return defined({
      job_uuid: job.id,
      status: this.status(job),
      worker: job.worker.id,
      cost_credits: this.orNone(isDone(job) ? toCredits(totalMicroUsd(job.cost)) : null, "number"),
      duration_ms: this.orNone(durationMs(job), "number"),
      created_at: this.time(job.submittedAtMs),
      completed_at: this.timeOrNone(job.finishedAtMs),
      result: this.result(job),
      error: this.error(job),
    });
  }

  private fullB(job: Job): Fields {
    return defined({
      job_id: job.id,
      worker_id: job.worker.id,
      status: this.status(job),
      timestamps: defined({
        submitted_at: this.time(job.submittedAtMs),
        started_at: this.timeOrNone(job.startedAtMs),
        finished_at: this.timeOrNone(job.finishedAtMs),
        duration_ms: this.orNone(durationMs(job), "number"),
      }),
      output: this.output(job),
      files: this.files(job),
      cost: this.orNone(isDone(job) ? this.cost(job) : null, "object"),
      error: this.error(job),
    });
  }

  private output(job: Job): unknown {
    if (job.state !== "completed" || job.performance === null) return this.orNone(null, "object");
    const { outcome, meta } = job.performance;
    return {
      kind: outcome.kind,
      data: outcome.kind === "object" ? outcome.data : null,
      items: outcome.kind === "list" ? outcome.items : [],
      meta,
    };
  }

  private files(job: Job): Fields[] {
    return job.files.map((file) => ({
      id: file.id,
      name: file.name,
      content_type: file.contentType,
      size_bytes: Buffer.byteLength(file.text),
      url: `${this.baseUrl()}${file.address}`,
    }));
  }

  private cost(job: Job): Fields {
    return {
      total_usd: toUsd(totalMicroUsd(job.cost)),
      run_usd: toUsd(job.cost.runMicroUsd),
      infra_usd: toUsd(job.cost.infraMicroUsd),
      billing_mode: this.billingMode(job.worker),
    };
  }

  /** Null unless the job failed. Spec §7. */
  private error(job: Job): unknown {
    if (job.error !== null) return job.error;
    return this.choices.noValue === "absent" ? undefined : null;
  }

  private timeOrNone(atMs: number | null): unknown {
    return this.orNone(atMs === null ? null : this.time(atMs), "text");
  }

  private orNone(value: unknown, kind: keyof typeof EMPTY): unknown {
    if (value !== null) return value;
    if (this.choices.noValue === "null") return null;
    return this.choices.noValue === "absent" ? undefined : EMPTY[kind];
  }
}

function durationMs(job: Job): number | null {
  if (job.startedAtMs === null || job.finishedAtMs === null) return null;
  return job.finishedAtMs - job.startedAtMs;
}

function plainResult({ outcome }: Performance): Fields {
  if (outcome.kind === "object") return outcome.data;
  return outcome.kind === "list" ? { items: outcome.items } : {};
}

function defined(fields: Fields): Fields {
  for (const name of Object.keys(fields)) {
    if (fields[name] === undefined) delete fields[name];
  }
  return fields;
}
