/** Jobs as the two variants of the interface spell them. Spec §2.4-§2.8. */

import { STATE_SPELLINGS, type Variant } from "../../contract/states.ts";
import type { Clock } from "../../contract/time/clock.ts";
import { toCredits, toUsd } from "../accounts/account.ts";
import { type Performance, runPrice, type Worker } from "../catalogue/worker.ts";
import type { Choices } from "../choices.ts";
import { wholeMs } from "../clock.ts";
import type { ReferenceOptions } from "../options.ts";
import { isoTimestamp } from "../timestamps.ts";
import { isDone, type Job, totalMicroUsd } from "./job.ts";

type Fields = Record<string, unknown>;

/** Ours: what a run may take before its worker does anything; stated. */
const START_UP_MS = 800;

/** Ours: the code of all failures where codes are numbers. */
const ERROR_NUMBER = 5_001;

/** The value that `empty` shows in place of none, by the kind of field. */
const EMPTY = { text: "", number: 0, object: {} } as const;

export class JobRenderer {
  readonly variant: Variant;
  private readonly choices: Choices;
  private readonly baseUrl: () => string;

  private readonly clock: Clock;
  private readonly timeScale: number;
  /** Start, end and duration of a run are told in such steps. */
  private readonly runStepMs: number;

  constructor(options: ReferenceOptions, baseUrl: () => string, clock: Clock) {
    const { variant, choices, timeScale } = options;
    // Variant B's times have milliseconds. Spec §2.5.
    const isShort = choices.stamps === "s" || choices.stamps === "trimmed";
    // A scheduler counts whole seconds, as Slurm does; the gateway before it, milliseconds.
    const bySecond = choices.stamps === "scheduler";
    const stamps = bySecond || (variant === "B" && isShort) ? "ms" : choices.stamps;
    this.variant = variant;
    this.runStepMs = bySecond ? 1_000 : 1;
    this.choices = { ...choices, stamps };
    this.baseUrl = baseUrl;
    this.clock = clock;
    this.timeScale = timeScale;
  }

  billingMode(worker: Worker): string {
    return worker.billing === "run" ? "per_run" : this.choices.eventBilling;
  }

  time(atMs: number): string {
    return isoTimestamp(atMs, this.choices);
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
    const performance = this.hasResult(job) ? job.performance : null;
    return this.orNone(performance === null ? null : plainResult(performance), "object");
  }

  private fullA(job: Job): Fields {
    return {
      job_uuid: job.id,
      status: this.status(job),
      worker: job.worker.id,
      cost_credits: this.priced(job, this.amount(toCredits(totalMicroUsd(job.cost))), "number"),
      duration_ms: this.orNone(this.durationMs(job), "number"),
      created_at: this.time(job.submittedAtMs),
      completed_at: this.timeOrNone(job.finishedAtMs),
      result: this.result(job),
      error: this.error(job),
    };
  }

  private fullB(job: Job): Fields {
    return {
      job_id: job.id,
      worker_id: job.worker.id,
      status: this.status(job),
      timestamps: {
        submitted_at: this.time(job.submittedAtMs),
        started_at: this.timeOrNone(job.startedAtMs),
        finished_at: this.timeOrNone(job.finishedAtMs),
        duration_ms: this.orNone(this.durationMs(job), "number"),
      },
      output: this.output(job),
      files: this.files(job),
      cost: this.priced(job, this.cost(job), "object"),
      error: this.error(job),
    };
  }

  /** A failed or timed-out job may show what it had found by then. */
  private hasResult({ state }: Job): boolean {
    if (state === "completed") return true;
    const isCutShort = state === "failed" || state === "timeout";
    return isCutShort && this.choices.partialResults === "yes";
  }

  /** An ended job that is not billed yet tells no price: 0 would be one. */
  private priced(job: Job, price: unknown, kind: "number" | "object"): unknown {
    if (this.isBilled(job)) return price;
    return isDone(job) ? null : this.orNone(null, kind);
  }

  private isBilled(job: Job): boolean {
    if (job.finishedAtMs === null || !isDone(job)) return false;
    const settledMs = Number(this.choices.costAfter) * 1_000 * this.timeScale;
    return settledMs === 0 || wholeMs(this.clock) - job.finishedAtMs >= settledMs;
  }

  /** Of the run, or of what the worker did in it. */
  private durationMs(job: Job): number | null {
    const ranMs = durationMs(job, this.runStepMs);
    const { durationOf } = this.choices;
    const isOfRun = durationOf === "run" || this.runStepMs > 1;
    if (ranMs === null || isOfRun) return ranMs;
    if (durationOf === "finer") return Math.max(0, ranMs + cutOff(job));
    if (this.variant === "B") return ranMs;
    return Math.ceil(ranMs - Math.min(START_UP_MS * this.timeScale, ranMs / 2));
  }

  private output(job: Job): unknown {
    if (!this.hasResult(job) || job.performance === null) return this.orNone(null, "object");
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
      url: this.fileUrl(file.address),
    }));
  }

  private fileUrl(address: string): string {
    const isSignedAnew = this.choices.fileUrls === "each-time";
    const salt = isSignedAnew ? `&salt=${wholeMs(this.clock)}` : "";
    return `${this.baseUrl()}${address}${salt}`;
  }

  /** Binary fractions of decimal amounts differ in the last place, and those of 0 do. */
  private amount(amount: number): number {
    if (this.choices.amounts === "decimal") return amount;
    const residue = 0.1 + 0.2 - 0.3;
    return amount * (1 + 2 * Number.EPSILON) + residue;
  }

  private cost(job: Job): Fields {
    return {
      total_usd: this.amount(toUsd(totalMicroUsd(job.cost))),
      run_usd: toUsd(job.cost.runMicroUsd),
      infra_usd: this.amount(toUsd(job.cost.infraMicroUsd)),
      billing_mode: this.billingMode(job.worker),
    };
  }

  /** Null unless the job failed. Spec §7. */
  private error(job: Job): unknown {
    if (job.error !== null) {
      const code = this.choices.errorCodes === "number" ? ERROR_NUMBER : job.error.code;
      const message = this.choices.errorMessages === "empty" ? "" : job.error.message;
      return { ...job.error, code, message };
    }
    return this.choices.noValue === "absent" ? undefined : null;
  }

  private timeOrNone(atMs: number | null): unknown {
    return this.orNone(atMs === null ? null : this.time(inSteps(atMs, this.runStepMs)), "text");
  }

  private orNone(value: unknown, kind: keyof typeof EMPTY): unknown {
    if (value !== null) return value;
    if (this.choices.noValue === "null") return null;
    return this.choices.noValue === "absent" ? undefined : EMPTY[kind];
  }
}

function durationMs({ startedAtMs, finishedAtMs }: Job, stepMs: number): number | null {
  if (startedAtMs === null || finishedAtMs === null) return null;
  return inSteps(finishedAtMs, stepMs) - inSteps(startedAtMs, stepMs);
}

function inSteps(atMs: number, stepMs: number): number {
  return Math.floor(atMs / stepMs) * stepMs;
}

/** Start and end are cut to whole ms each: the true duration may be less than a ms shorter. */
function cutOff({ id }: Job): number {
  return id.charCodeAt(id.length - 1) % 2 === 0 ? 0 : -1;
}

function plainResult({ outcome }: Performance): Fields {
  if (outcome.kind === "object") return outcome.data;
  return outcome.kind === "list" ? { items: outcome.items } : {};
}
