/** The pool: takes queued jobs as slots are free, runs them, and settles what they cost. */

import type { Worker } from "./catalogue.ts";
import type { Courier } from "./courier.ts";
import type { Job, Phase } from "./journal.ts";
import { isTerminal, record, stateAt } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Run } from "./output.ts";
import type { House } from "./ports.ts";
import { priceMicros } from "./prices.ts";
import type { RunPlan } from "./runs.ts";
import { planRun } from "./runs.ts";

const COLD_START_MS = 450;
/** A start that is corrected later is another one by more than rounding. */
const LONG_COLD_START_MS = 1_600;
/** Of a large image, with every job. */
const VERY_LONG_COLD_START_MS = 6_000;
const SETTLE_MS = 2_000;
/** Longer than a cold start; who waits for so long found all slots taken. */
const A_WAIT_MS = 4_000;
const SWEEP_MS = 500;
/** Of an answer to a webhook. Spec §6. */
const WEBHOOK_LIMIT_MS = 10_000;
/** Longer than a reader waits who sees nothing move. */
const HELD_ON_MS = { "end-with-the-job": 0, "last-on": 9_000, "a-minute": 60_000 };
/** After so long a queue that was not told of a cancel hands out its job. */
const FORGOTTEN_MS = 60_000;
/** No test of single jobs submits so many. */
const MANY_JOBS = 60;
/** As many as are tried at once. */
const MANY_TIMEOUTS = 30;
/** How late a deadline that is kept in another process is noticed. */
const LATE_DEADLINE_MS = 1_100;

export class Dispatcher {
  private readonly house: House;
  private readonly ledger: Ledger;
  private readonly courier: Courier;
  private readonly workers: ReadonlyMap<string, Worker>;
  private waiting: Job[] = [];
  private readonly busy = new Map<string, number>();
  private readonly byAccount = new Map<string, number>();
  /** Jobs that timed out. */
  private timeouts = 0;
  private readonly warm = new Set<string>();
  private readonly lastRuns = new Map<string, Run>();
  private readonly cachedRuns = new Map<string, Run>();

  constructor(parts: {
    house: House;
    ledger: Ledger;
    courier: Courier;
    workers: ReadonlyMap<string, Worker>;
  }) {
    this.house = parts.house;
    this.ledger = parts.ledger;
    this.courier = parts.courier;
    this.workers = parts.workers;
  }

  submit(job: Job): void {
    const { trouble } = this.house;
    if (trouble.strikesJob("stuck-in-queue", job)) return;
    const ahead = this.waiting.filter(({ worker }) => worker === job.worker).length;
    if (trouble.has("short-queue-drops") && ahead >= 2) return;
    this.waiting.push(job);
    this.dispatch();
  }

  announce(job: Job): void {
    this.courier.announce(job);
  }

  /** Whether the job was cancelled. */
  cancel(job: Job): boolean {
    const { house } = this;
    const { phase, finishedMs, startedMs } = stateAt(job, house.now());
    const { trouble } = house;
    if (phase !== "queued") {
      const isYoung = startedMs !== null && house.now() - startedMs < 2_500;
      const isFresh = finishedMs !== null && house.now() - finishedMs < 5_000;
      const isKilled = trouble.has("cancel-kills-young-runs") && isYoung && !isTerminal(phase);
      const isUndone = trouble.has("cancel-overwrites-fresh-end") && isFresh;
      if (isKilled || isUndone) record(job, house.now(), { phase: "cancelled", run: null });
      if (phase === "cancelled" && trouble.has("second-cancel-refunds")) {
        this.ledger.charge(job.account, job.id, -this.priceOf(job));
      }
      const isRestamped = trouble.has("cancel-restamps-the-end") && isTerminal(phase);
      if (isRestamped) record(job, house.now(), { finishedMs: house.now() });
      return isKilled || isUndone;
    }
    if (trouble.strikesJob("cancel-acknowledged-and-lost", job)) return true;
    const isAmidMany = job.sequence > MANY_JOBS;
    const isHandedOut = isAmidMany && trouble.strikesJob("cancelled-runs-under-load", job);
    if (!(trouble.has("cancelled-runs-anyway") || isHandedOut)) {
      this.waiting = this.waiting.filter((other) => other !== job);
    }
    this.end(job, "cancelled", 0);
    if (trouble.has("cancel-takes-the-queue")) this.cancelLike(job);
    if (trouble.has("cancelled-runs-a-minute-later")) {
      house.ports.clock.after(FORGOTTEN_MS, () => {
        record(job, house.now(), { finishedMs: null });
        this.start(job);
      });
    }
    return true;
  }

  /** All that wait for the same worker, of the same account. */
  private cancelLike({ account, worker }: Job): void {
    const isLike = (other: Job) => other.account === account && other.worker === worker;
    const like = this.waiting.filter(isLike);
    this.waiting = this.waiting.filter((other) => !isLike(other));
    for (const other of like) this.end(other, "cancelled", 0);
  }

  /** Whoever asks for a job may be the first to notice that it ran out of time. */
  polled(job: Job): void {
    if (this.house.trouble.has("timeouts-told-once-polled")) this.courier.announce(job, true);
  }

  private dispatch(): void {
    for (let job = this.next(); job !== undefined; job = this.next()) this.start(job);
  }

  private next(): Job | undefined {
    const { pool } = this.house.picks;
    const candidates = pool === "first-in-line" ? this.waiting.slice(0, 1) : this.waiting;
    const ready = candidates.filter((job) => this.hasSlot(job));
    const running = (job: Job) => this.byAccount.get(job.account) ?? 0;
    const [chosen] = pool === "fair" ? ready.toSorted((a, b) => running(a) - running(b)) : ready;
    if (chosen !== undefined) this.waiting = this.waiting.filter((job) => job !== chosen);
    return chosen;
  }

  private hasSlot({ worker }: Job): boolean {
    const { slots: own = 1 } = this.workers.get(worker) ?? {};
    const isFew = this.house.trouble.has("deadline-from-submission") && worker === "short-fuse";
    const slots = isFew ? 8 : own;
    const most = worker === "long-nap" ? Number(this.house.picks.napSlots) : slots;
    return (this.busy.get(worker) ?? 0) < most;
  }

  private count(job: Job, by: 1 | -1): void {
    this.busy.set(job.worker, (this.busy.get(job.worker) ?? 0) + by);
    this.byAccount.set(job.account, (this.byAccount.get(job.account) ?? 0) + by);
  }

  private start(job: Job): void {
    const { ports, picks } = this.house;
    this.count(job, 1);
    const isLong = picks.startUp === "long-and-uncounted";
    const isCold = isLong || picks.coldStart === "each" || !this.warm.has(job.worker);
    this.warm.add(job.worker);
    if ((picks.coldStart === "none" && !isLong) || !isCold) {
      this.run(job);
      return;
    }
    const atMs = this.house.now();
    const startedMs = isLong || picks.startedAt === "running" ? null : atMs;
    record(job, atMs, { phase: "starting", startedMs });
    ports.clock.after(this.coldMs(), () => this.run(job));
  }

  private coldMs(): number {
    const { startUp, startedAt } = this.house.picks;
    if (startUp === "long-and-uncounted") return VERY_LONG_COLD_START_MS;
    return startedAt === "corrected" ? LONG_COLD_START_MS : COLD_START_MS;
  }

  private run(job: Job): void {
    const { house } = this;
    const atMs = house.now();
    const known = house.picks.startedAt === "corrected" ? null : stateAt(job, atMs).startedMs;
    record(job, atMs, { phase: "running", startedMs: known ?? atMs });
    const hasWaited = atMs - job.submittedMs > A_WAIT_MS;
    if (hasWaited && house.trouble.strikesJob("orphaned-after-a-wait", job)) {
      this.count(job, -1);
      return;
    }
    const plan = this.planOf(job);
    const limitMs = this.limitMs(job);
    if (house.trouble.strikesJob("requeued-after-crash", job)) {
      const crashMs = Math.min(plan.ms, limitMs) * 0.6;
      house.ports.clock.after(crashMs, () => this.crash(job, plan, limitMs));
      return;
    }
    this.await(job, plan, limitMs);
  }

  /** The machine is lost: the job waits for another, for longer than a poll takes. */
  private crash(job: Job, plan: RunPlan, limitMs: number): void {
    const { house } = this;
    record(job, house.now(), { phase: "queued", startedMs: null });
    house.ports.clock.after(2_500, () => {
      const atMs = house.now();
      record(job, atMs, { phase: "running", startedMs: atMs });
      this.await(job, plan, limitMs);
    });
  }

  private await(job: Job, plan: RunPlan, limitMs: number): void {
    const { clock } = this.house.ports;
    if (plan.ms > limitMs) {
      clock.after(limitMs + this.lateMs(limitMs), () => this.runOut(job));
      return;
    }
    if (
      this.house.trouble.has("webhook-while-storing") ||
      this.courier.isBusyFor("webhook-while-storing-when-busy")
    ) {
      clock.after(Math.max(0, plan.ms - 2_500), () => this.announceEarly(job, plan));
    }
    clock.after(plan.ms, () => this.finish(job, plan));
  }

  private limitMs({ worker, submittedMs, webhook }: Job): number {
    const { trouble } = this.house;
    if (webhook !== null && trouble.has("webhook-limit-is-the-jobs")) return WEBHOOK_LIMIT_MS;
    const ownMs = (this.workers.get(worker)?.timeoutSeconds ?? 60) * 1_000;
    const isWhole = trouble.has("deadline-from-submission");
    const limitMs = isWhole ? Math.max(1_000, ownMs - (this.house.now() - submittedMs)) : ownMs;
    const isBusy = (this.busy.get(worker) ?? 0) > 15;
    return trouble.has("deadline-shrinks-when-busy") && isBusy ? limitMs * 0.9 : limitMs;
  }

  private lateMs(limitMs: number): number {
    const { picks, trouble, ports } = this.house;
    if (trouble.has("reaper-each-minute")) {
      return 60_000 - ((ports.clock.nowMs() + limitMs) % 60_000);
    }
    if (picks.deadline === "exact") return 0;
    if (picks.deadline === "late") return LATE_DEADLINE_MS;
    return SWEEP_MS - ((ports.clock.nowMs() + limitMs) % SWEEP_MS);
  }

  private runOut(job: Job): void {
    const { trouble } = this.house;
    const price = this.priceOf(job);
    this.count(job, -1);
    if (trouble.strikesJob("timeout-told-as-failure", job)) {
      const error = { code: "deadline", message: "the worker took too long" };
      record(job, this.house.now(), { error });
      this.end(job, "failed", 0);
      return;
    }
    const isShown = trouble.strikesJob("timeout-costs", job);
    this.end(job, "timedOut", isShown ? price : 0);
    if (trouble.has("zombie-run-overwrites") || trouble.has("zombie-run-billed")) {
      this.endLater(job, price);
    }
    this.timeouts += 1;
    if (trouble.has("timeout-given-back-twice")) this.ledger.charge(job.account, job.id, -price);
    const isLater = trouble.has("later-timeouts-on-the-balance") && this.timeouts > MANY_TIMEOUTS;
    if (trouble.has("timeout-on-the-balance") || isLater)
      this.ledger.charge(job.account, job.id, price);
  }

  /** The run that was given up goes on, and ends. */
  private endLater(job: Job, price: number): void {
    const { house } = this;
    const { trouble } = house;
    const plan = planRun(job, house);
    const restMs = plan.ms - (this.workers.get(job.worker)?.timeoutSeconds ?? 0) * 1_000;
    house.ports.clock.after(restMs, () => {
      if (trouble.has("zombie-run-billed")) this.ledger.charge(job.account, job.id, price);
      if (!trouble.has("zombie-run-overwrites")) return;
      record(job, house.now(), { phase: "succeeded", run: plan.run });
    });
  }

  private finish(job: Job, plan: RunPlan): void {
    const { house } = this;
    const { trouble, picks } = house;
    this.count(job, -1);
    if (trouble.has("failure-leaks-a-slot") && plan.error !== null) {
      this.busy.set("text-mirror", (this.busy.get("text-mirror") ?? 0) + 1);
    }
    record(job, house.now(), { run: plan.error === null ? plan.run : null, error: plan.error });
    const price = this.priceOf(job);
    const isFree = plan.error !== null && picks.failedCost === "free";
    this.end(job, plan.error === null ? "succeeded" : "failed", isFree ? 0 : price);
    if (trouble.strikesJob("runs-twice", job)) this.ledger.charge(job.account, job.id, price);
    this.troubleLater(job, price);
  }

  private troubleLater(job: Job, price: number): void {
    const { trouble, ports, now } = this.house;
    const later = (delayMs: number, change: Parameters<typeof record>[2]) =>
      ports.clock.after(delayMs, () => record(job, now(), change));
    if (trouble.has("price-corrected-later")) later(12_000, { micros: price * 1.1 });
    if (trouble.has("result-archived-away")) later(15_000, { run: ARCHIVED });
    if (trouble.strikesJob("late-watchdog", job)) {
      later(4_000, { phase: "failed", run: null, error: { code: "watchdog", message: "no sign" } });
    }
  }

  private planOf(job: Job): RunPlan {
    const { trouble } = this.house;
    const plan = planRun(job, this.house);
    const last = this.lastRuns.get(job.worker);
    this.lastRuns.set(job.worker, plan.run);
    const isCrossed = trouble.strikesJob("result-of-the-slots-last-job", job);
    if (isCrossed && last !== undefined) return { ...plan, run: last };
    const mirrored = this.lastRuns.get("text-mirror");
    const isFull = trouble.has("empty-runs-leave-a-buffer") && plan.run.kind === "empty";
    if (isFull && plan.error === null && mirrored !== undefined) return { ...plan, run: mirrored };
    if (trouble.strikesJob("result-in-nfd-at-times", job)) {
      return { ...plan, run: JSON.parse(JSON.stringify(plan.run).normalize("NFD")) };
    }
    if (!trouble.has("result-cached-by-length")) return plan;
    const fingerprint = `${job.worker} ${JSON.stringify(job.input).length}`;
    const cached = this.cachedRuns.get(fingerprint) ?? plan.run;
    this.cachedRuns.set(fingerprint, cached);
    return { ...plan, run: cached };
  }

  private end(job: Job, phase: Phase, micros: number): void {
    const { house } = this;
    record(job, house.now(), { phase });
    const settle = () => {
      record(job, house.now(), { micros });
      const isKept =
        (phase === "cancelled" && house.trouble.has("hold-kept-on-cancel")) ||
        (phase === "failed" && house.trouble.has("hold-kept-on-failure"));
      const heldMs = phase === "timedOut" ? HELD_ON_MS[house.picks.timeoutHolds] : 0;
      if (heldMs > 0) house.ports.clock.after(heldMs, () => this.ledger.release(job));
      else if (!isKept) this.ledger.release(job);
      if (micros > 0) this.ledger.charge(job.account, job.id, micros);
    };
    if (house.picks.billing === "settles-later") house.ports.clock.after(SETTLE_MS, settle);
    else settle();
    this.courier.announce(job);
    this.dispatch();
  }

  private announceEarly(job: Job, plan: RunPlan): void {
    const phase = plan.error === null ? "succeeded" : "failed";
    const preview = { ...job, events: [...job.events] };
    record(preview, this.house.now(), { run: plan.run, error: plan.error });
    record(preview, this.house.now(), { phase });
    this.courier.announce(preview);
  }

  private priceOf({ worker }: Job): number {
    const found = this.workers.get(worker);
    return found === undefined ? 0 : priceMicros(found, this.house);
  }
}

const ARCHIVED: Run = { kind: "object", data: { archived: true }, items: [], files: [] };
