/** Carries jobs through their states: queue, slot, start, run, end, bill, webhook. Spec §3. */

import type { State } from "../../contract/states.ts";
import { fingerprint } from "../../contract/text/fingerprint.ts";
import type { Clock } from "../../contract/time/clock.ts";
import type { Account } from "../accounts/account.ts";
import { runPrice } from "../catalogue/worker.ts";
import { wholeMs } from "../clock.ts";
import type { Hooks, Loss } from "../hooks.ts";
import type { ReferenceOptions } from "../options.ts";
import type { Random } from "../random.ts";
import {
  type Cost,
  FREE_OF_CHARGE,
  isDone,
  type Job,
  type JobOrder,
  type StoredFile,
  totalMicroUsd,
} from "./job.ts";
import { jobIds } from "./job-ids.ts";
import { Machines } from "./machines.ts";
import { Processors } from "./processors.ts";
import { WorkerQueue } from "./queue.ts";
import type { JobStore } from "./store.ts";

/** Ours: a dwell in the queue, or while starting, is so long that a poll may meet it. */
const DWELL_MS_MIN = 5;
/** Ours: a run is never so short that no poll could meet it. */
const RUN_MS_MIN = 15;

/** Ours: as the choice's values say; stated. */
const BOOKED_EVERY_MS = { singly: 0, "each-10-s": 10_000, "each-minute": 60_000 } as const;

const SLOTS_FACTOR = { few: 1, double: 2, unlimited: Number.POSITIVE_INFINITY } as const;

/** Ours: as the choice's name says; no trial of several jobs is hit whole. */
const EVICTED_EACH = 89;

interface EngineParts {
  options: ReferenceOptions;
  store: JobStore;
  clock: Clock;
  random: Random;
  hooks: () => Hooks;
  /** Presigned address of a file of a job. */
  fileAddress: (fileId: string) => string;
  /** Sends the job's webhook. */
  announce: (job: Job) => void;
}

export class JobEngine {
  private readonly parts: EngineParts;
  private readonly queues = new Map<string, WorkerQueue>();
  private readonly processors: Processors | null;
  private readonly machines: Machines | null;
  private readonly newId: () => string;
  /** When the first run began of jobs whose machine was lost. */
  private readonly ranFromMs = new WeakMap<Job, number>();
  private running = 0;
  private queued = 0;

  constructor(parts: EngineParts) {
    this.parts = parts;
    const { processors } = parts.options;
    const isShared = processors !== Number.POSITIVE_INFINITY;
    this.newId = jobIds(parts.options.choices.jobIds, parts.random);
    const isCold = parts.options.choices.startUp === "cold";
    this.machines = isCold ? new Machines(parts.options.timeScale) : null;
    this.processors = isShared ? new Processors(processors, parts.clock) : null;
  }

  submit(order: JobOrder): Job {
    const { timeScale } = this.parts.options;
    const hooks = this.parts.hooks();
    const id = hooks.jobId(this.newId(), order.account);
    const job: Job = { ...order, ...newJob(this.parts, id) };
    const statedMs = order.worker.runSeconds(order.input) * 1000;
    job.runMs = hooks.runMs(Math.max(RUN_MS_MIN, statedMs * timeScale), job);
    const { charge, booked } = this.parts.options.choices;
    // Who books sums has no entry of a single job that would take the place of what was held.
    if (charge === "hold" && booked === "singly") {
      job.heldMicroUsd = runPrice(order.worker, order.input) + order.worker.infraMicroUsd;
      order.account.hold(job.heldMicroUsd);
    }
    this.parts.store.add(job);
    this.parts.clock.after(hooks.queueMs(this.dwellMs(), job), () => this.enqueue(job));
    return job;
  }

  /** What happened to the job; the caller words the answer. Spec §3.2. */
  cancel(job: Job): "cancelled" | "refused" {
    const effect = this.parts.hooks().cancel(this.isCancellable(job) ? "cancel" : "refuse", job);
    if (effect === "refuse") return "refused";
    if (effect === "cancel") this.cancelInTime(job);
    return "cancelled";
  }

  /** A job that had not begun to run won't; any other goes on until then. */
  private cancelInTime(job: Job): void {
    const { choices, timeScale } = this.parts.options;
    const afterMs = Number(choices.cancelAfter) * 1_000 * timeScale;
    if (afterMs === 0) {
      this.end(job, "cancelled");
      return;
    }
    const wasDone = isDone(job);
    job.cancelDue = job.state === "queued" || job.state === "starting";
    this.queueOf(job).remove(job);
    this.parts.clock.after(afterMs, () => {
      if (isDone(job) === wasDone) this.end(job, "cancelled");
    });
  }

  private isCancellable(job: Job): boolean {
    const startingToo = this.parts.options.choices.cancelStarting === "cancelled";
    return job.state === "queued" || (startingToo && job.state === "starting");
  }

  private dwellMs(): number {
    const { choices, timeScale } = this.parts.options;
    const statedMs = Number(choices.dwell) * 1_000;
    return statedMs === 0 ? 0 : Math.max(DWELL_MS_MIN, statedMs * timeScale);
  }

  private queueOf(job: Job): WorkerQueue {
    const known = this.queues.get(job.worker.id);
    if (known !== undefined) return known;
    const { options, random } = this.parts;
    const { slots: many, queueOrder } = options.choices;
    const own = job.worker.concurrency * SLOTS_FACTOR[many];
    const slots = options.slots[job.worker.id] ?? own;
    const created = new WorkerQueue(slots, queueOrder, random);
    this.queues.set(job.worker.id, created);
    return created;
  }

  private enqueue(job: Job): void {
    if (job.state !== "queued" || job.cancelDue) return;
    this.queued += 1;
    const isEvicted = this.parts.options.choices.systemCancels === "every-89th";
    if (isEvicted && this.queued % EVICTED_EACH === 0) {
      this.end(job, "cancelled");
      return;
    }
    this.queueOf(job).add(job);
    this.fillSlots();
  }

  private fillSlots(): void {
    for (const queue of this.queues.values()) {
      while (this.running < this.parts.options.concurrency) {
        const job = queue.next();
        if (job === null) break;
        this.running += 1;
        job.holdsSlot = true;
        this.start(job);
      }
    }
  }

  /** Variant A has no state between queued and running. Spec §3.1. */
  private start(job: Job): void {
    const { clock } = this.parts;
    const readyInMs = this.machines?.readyInMs(job.worker.id, clock.nowMs()) ?? 0;
    if (this.parts.options.variant === "A") {
      if (readyInMs === 0) this.run(job);
      else clock.after(readyInMs, () => this.run(job));
      return;
    }
    job.state = "starting";
    if (this.parts.options.choices.startStamp === "starting") {
      job.startedAtMs = wholeMs(this.parts.clock);
    }
    clock.after(this.dwellMs() + readyInMs, () => this.run(job));
  }

  private run(job: Job): void {
    if (isDone(job) || job.cancelDue) return;
    const hooks = this.parts.hooks();
    job.state = "running";
    job.startedAtMs ??= wholeMs(this.parts.clock);
    const limitMs = this.limitOf(job, hooks);
    const isRerun = this.ranFromMs.has(job);
    const loss = isRerun ? null : hooks.loss(null, job, limitMs);
    if (loss !== null && loss.afterMs < Math.min(job.runMs, limitMs)) {
      this.ranFromMs.set(job, this.parts.clock.nowMs());
      this.parts.clock.after(loss.afterMs, () => this.requeue(job, loss));
      return;
    }
    const late = job.runMs > limitMs;
    const state: State = late ? "timeout" : this.performs(job) ? "completed" : "failed";
    if (this.processors === null) {
      this.parts.clock.after(Math.min(job.runMs, limitMs), () => this.store(job, state));
    } else this.share(this.processors, job, limitMs);
    if (hooks.webhookMoment("terminal", job) === "running") this.announceEarly(job, state);
  }

  /** Of a job that runs again, what its first run has left. */
  private limitOf(job: Job, hooks: Hooks): number {
    const statedMs = job.worker.timeoutSeconds * 1000 * this.parts.options.timeScale;
    const nowMs = this.parts.clock.nowMs();
    const spentMs = nowMs - (this.ranFromMs.get(job) ?? nowMs);
    return Math.max(0, hooks.limitMs(statedMs, job) - spentMs);
  }

  private requeue(job: Job, { waitMs, keepsStart }: Loss): void {
    if (isDone(job)) return;
    this.leaveSlot(job);
    job.state = "queued";
    if (!keepsStart) job.startedAtMs = null;
    this.parts.clock.after(waitMs, () => this.enqueue(job));
  }

  /** The run takes as long as the others leave it; its limit passes all the same. */
  private share(processors: Processors, job: Job, limitMs: number): void {
    const stop = processors.start(job.runMs, () => {
      callOff();
      this.store(job, this.performs(job) ? "completed" : "failed");
    });
    const callOff = this.parts.clock.after(limitMs, () => {
      stop();
      this.end(job, "timeout");
    });
  }

  /** What has run may be shown running until its result is stored; a timeout has none. */
  private store(job: Job, state: State): void {
    const { choices, timeScale } = this.parts.options;
    const storedMs = Number(choices.storedAfter) * 1_000 * timeScale;
    if (storedMs === 0 || state === "timeout") {
      this.end(job, state);
      return;
    }
    job.ranUntilMs = wholeMs(this.parts.clock);
    this.parts.clock.after(storedMs, () => this.end(job, state));
  }

  private performs(job: Job): boolean {
    job.performance = job.worker.perform(job.input);
    return job.performance.error === null;
  }

  private announceEarly(job: Job, state: State): void {
    if (job.webhook === null) return;
    const error = state === "failed" ? (job.performance?.error ?? null) : null;
    this.parts.announce({ ...job, state, error, finishedAtMs: job.startedAtMs });
    job.webhookFired = true;
  }

  private end(job: Job, given: State): void {
    if (isDone(job) && given !== "cancelled") return;
    const hooks = this.parts.hooks();
    const wasDone = isDone(job);
    job.state = hooks.ending(given, job);
    if (wasDone) return;
    job.endedAtMs = wholeMs(this.parts.clock);
    job.finishedAtMs = job.ranUntilMs ?? job.endedAtMs;
    this.conclude(job);
    job.cost = hooks.cost(this.costOf(job), job);
    this.bill(job, hooks);
    this.leaveSlot(job);
    this.parts.store.markEnded(job);
    if (hooks.webhookMoment("terminal", job) !== "polled") this.parts.announce(job);
  }

  /** Somebody has asked for it: a webhook that waited for that is sent, and any other was. */
  polled(job: Job): void {
    if (isDone(job)) this.parts.announce(job);
  }

  private conclude(job: Job): void {
    job.performance ??= job.worker.perform(job.input);
    if (job.state === "failed") {
      job.error = job.performance.error ?? { code: "TIMEOUT", message: "the run took too long" };
    }
    if (job.state === "completed") job.files = this.filesOf(job);
  }

  private filesOf(job: Job): readonly StoredFile[] {
    return (job.performance?.files ?? []).map((draft, index) => {
      const id = `${job.id}.${index}`;
      return { ...draft, id, address: this.parts.fileAddress(id) };
    });
  }

  /** A timeout and a cancelled job are free (Spec §3.1); failed ones are a choice. */
  private costOf(job: Job): Cost {
    const failed = CHARGED_SHARE[this.parts.options.choices.chargeFailed];
    const share = job.state === "completed" ? 1 : job.state === "failed" ? failed : 0;
    if (share === 0) return FREE_OF_CHARGE;
    const runMicroUsd = runPrice(job.worker, job.input) * share;
    return { runMicroUsd, infraMicroUsd: job.worker.infraMicroUsd * share };
  }

  private bill(job: Job, hooks: Hooks): void {
    const microUsd = hooks.charge(totalMicroUsd(job.cost), job);
    const afterMs = this.bookedAfterMs(job.account);
    if (afterMs === 0) settle(job, microUsd);
    else this.parts.clock.after(afterMs, () => settle(job, microUsd));
  }

  /** Until the next sum is booked, where charges are not booked one by one. */
  private bookedAfterMs({ id }: Account): number {
    const { clock, options } = this.parts;
    const { choices, timeScale } = options;
    const afterMs = Number(choices.balanceAfter) * 1_000 * timeScale;
    const everyMs = BOOKED_EVERY_MS[choices.booked] * timeScale;
    if (everyMs === 0) return afterMs;
    const ownMs =
      choices.booked === "each-10-s" ? Number.parseInt(fingerprint(id), 16) % everyMs : 0;
    return afterMs + everyMs - ((clock.nowMs() + afterMs + ownMs) % everyMs);
  }

  private leaveSlot(job: Job): void {
    const queue = this.queueOf(job);
    queue.remove(job);
    if (!job.holdsSlot) return;
    job.holdsSlot = false;
    queue.running -= 1;
    this.running -= 1;
    this.fillSlots();
  }
}

/** What was held and is not due is free again when the job is charged. */
function settle(job: Job, microUsd: number): void {
  job.account.release(job.heldMicroUsd);
  job.heldMicroUsd = 0;
  const atMs = job.finishedAtMs ?? job.submittedAtMs;
  job.account.charge({ job: job.id, worker: job.worker.id, microUsd, atMs });
}

const CHARGED_SHARE = { no: 0, half: 0.5, yes: 1 } as const;

function newJob({ clock }: EngineParts, id: string): Omit<Job, keyof JobOrder> {
  return {
    id,
    submittedAtMs: wholeMs(clock),
    runMs: 0,
    state: "queued",
    startedAtMs: null,
    ranUntilMs: null,
    finishedAtMs: null,
    endedAtMs: null,
    performance: null,
    files: [],
    error: null,
    cost: FREE_OF_CHARGE,
    heldMicroUsd: 0,
    cancelDue: false,
    webhookFired: false,
    holdsSlot: false,
  };
}
