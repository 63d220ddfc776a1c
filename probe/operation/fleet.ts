/** All canaries of the target: their schedules, the runs under way, and the orderly end. */

import type { Target } from "../../contract/target.ts";
import { messageOf } from "../../contract/text/thrown.ts";
import type { Canary } from "../canary/canary.ts";
import { canariesOf } from "../canary/canary.ts";
import { sleepUntil } from "../clock.ts";
import type { Settled } from "../events.ts";
import type { Ceilings } from "../journal/budget.ts";
import { ceilingsOf, jobsADay } from "../journal/budget.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { startSchedule } from "../schedule/schedule.ts";
import { orderOf } from "./costs/usual-costs.ts";
import type { Started } from "./runs/canary-run.ts";
import { resumeRun, retiredCanary, startRun } from "./runs/canary-run.ts";
import type { Parts, Run } from "./runs/run.ts";
import { takeIn } from "./runs/run.ts";

/** Ours: as many as what is learnt of durations is made of. */
const RUNS_LEARNT = 160;

interface Planned {
  canary: Canary;
  schedule: Schedule | null;
}

/** Ours: as many as the status page shows. */
const RUNS_REMEMBERED = 40;

export class Fleet {
  readonly #parts: Parts;
  readonly #random: () => number;
  #planned = new Map<string, Planned>();
  /** Runs without a verdict, by canary; those that only wait for a webhook are not among them. */
  readonly #underWay = new Map<string, number>();
  readonly #open = new Set<Promise<unknown>>();
  readonly #unsettled = new Set<Promise<unknown>>();
  readonly #runs = new Set<Run>();
  #running = false;
  #stopping = false;
  #ceilingsAt: (nowMs: number) => Ceilings = () => ({ day: null, month: null });

  constructor(parts: Parts, random: () => number) {
    this.#parts = parts;
    this.#random = random;
  }

  /** Takes these canaries; the schedules of those that did not change go on undisturbed. */
  use(target: Target): void {
    const canaries = canariesOf(target);
    this.#ceilingsAt = this.#ceilingsOf(target, canaries);
    const before = this.#planned;
    this.#planned = new Map();
    for (const canary of canaries) {
      const known = before.get(canary.name);
      const same = known !== undefined && JSON.stringify(known.canary) === JSON.stringify(canary);
      this.#planned.set(canary.name, same ? known : { canary, schedule: null });
      if (same) before.delete(canary.name);
    }
    for (const { schedule } of before.values()) schedule?.stop();
    if (this.#running) this.start();
  }

  get ceilings(): Ceilings {
    return this.#ceilingsAt(this.#parts.clock.nowMs());
  }

  #ceilingsOf(target: Target, canaries: readonly Canary[]): (nowMs: number) => Ceilings {
    const { clock, journal } = this.#parts;
    const start = journal.planStart(jobsADay(canaries), clock.nowMs());
    return (nowMs) => ceilingsOf(target, canaries, start, nowMs);
  }

  start(): void {
    this.#running = true;
    for (const planned of this.#planned.values()) planned.schedule ??= this.#schedule(planned);
  }

  #schedule({ canary }: Planned): Schedule {
    const { clock, emit } = this.#parts;
    const { name, everyMs, jitterShare } = canary;
    const schedule: Schedule = startSchedule({
      clock,
      random: this.#random,
      everyMs,
      jitterShare,
      onDue: (_tick, lagMs) => {
        emit({ type: "run-due", canary: name, lagMs, nextDueMs: schedule.nextDueMs });
        this.#run(canary).catch((error: unknown) => this.#spoilt(error));
      },
      onSkipped: (count) => {
        const runs = count === 1 ? "a run" : `${count} runs`;
        const why = `the probe was paused and skipped ${runs}`;
        emit({ type: "run-planned", canary: name, nextDueMs: schedule.nextDueMs });
        emit({ type: "run-skipped", canary: name, reason: "paused", count, why });
      },
    });
    emit({ type: "run-planned", canary: name, nextDueMs: schedule.nextDueMs });
    return schedule;
  }

  /** A run whose verdict could not be drawn up stays in the journal. */
  #spoilt(error: unknown): void {
    const why = messageOf(error);
    this.#parts.emit({ type: "journal-failed", what: "read", why });
  }

  /** The probe saw nothing for so long: what runs see next is no time of a transition. */
  noticeGap(sleptMs: number): void {
    const { clock, knowledge, lag } = this.#parts;
    // Nobody was there to be late, and nothing of what was due came about.
    lag.note(sleptMs);
    knowledge.forgetOffset();
    const atMs = clock.nowMs();
    for (const run of this.#runs) {
      // From here on it is like a run that another process began.
      run.resumed = true;
      takeIn(this.#parts, run, { kind: "gap", atMs });
    }
  }

  /** The verdict of one run; null when it was not started or the probe stopped before. */
  async #run(canary: Canary): Promise<Settled | null> {
    const { emit } = this.#parts;
    const count = this.#underWay.get(canary.name) ?? 0;
    if (this.#stopping || count >= canary.overlapMax) {
      const reason = this.#stopping ? "stopping" : "overlap";
      const why = this.#stopping ? "the probe is stopping" : `${count} runs are under way`;
      emit({ type: "run-skipped", canary: canary.name, reason, count: 1, why });
      return null;
    }
    this.#underWay.set(canary.name, count + 1);
    const started = startRun(this.#parts, canary, this.ceilings);
    const settled = this.#keep(
      canary.name,
      started.then((run) => ("run" in run ? run : null)),
    );
    const run = await started;
    if (!("run" in run)) emit({ type: "run-skipped", canary: canary.name, ...run, count: 1 });
    return settled;
  }

  /** Runs that an earlier process left, each under its canary's name. */
  resume(canaries: readonly Canary[]): void {
    const { journal, emit, knowledge } = this.#parts;
    for (const past of journal.history(RUNS_LEARNT)) {
      const { canary, workerId, jobId, settled, stated } = past;
      knowledge.learn(canary, workerId, settled);
      const ranMs = settled.stays.find(({ state }) => state === "running")?.ms ?? null;
      const order = stated === null ? null : orderOf(past, past.requestBody);
      if (stated !== null && order !== null) {
        knowledge.costs.learn(canary, order, { ...stated, ranMs }, settled.settledAtMs);
      }
      if (jobId !== null) knowledge.series.remember(jobId);
    }
    for (const { runId, canary, workerId, jobId, settled } of journal.history(RUNS_REMEMBERED)) {
      emit({ type: "run-remembered", run: { runId, canary, workerId, jobId }, settled });
    }
    for (const left of journal.unfinished()) {
      const canary = canaries.find(({ name }) => name === left.intent.canary);
      const run = resumeRun(this.#parts, canary ?? retiredCanary(left.intent), left);
      const { canary: name } = left.intent;
      this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
      this.#keep(name, Promise.resolve(run)).catch((error: unknown) => this.#spoilt(error));
    }
  }

  #keep(name: string, started: Promise<Started | null>): Promise<Settled | null> {
    let run: Run | null = null;
    const settled: Promise<Settled | null> = started
      .then((begun) => {
        run = begun?.run ?? null;
        if (run !== null) this.#runs.add(run);
        return begun?.settled ?? null;
      })
      .finally(() => {
        if (run !== null) this.#runs.delete(run);
        this.#underWay.set(name, (this.#underWay.get(name) ?? 1) - 1);
        this.#unsettled.delete(settled);
      });
    const done = started.then((run) => run?.done);
    this.#unsettled.add(settled);
    const whole: Promise<unknown> = Promise.allSettled([settled, done]);
    this.#open.add(whole);
    void whole.then(() => this.#open.delete(whole));
    return settled;
  }

  async once(): Promise<ReadonlyMap<string, Settled | null>> {
    const canaries = [...this.#planned.values()].map(({ canary }) => canary);
    const runs = canaries.map(async (canary) => [canary.name, await this.#run(canary)] as const);
    return new Map(await Promise.all(runs));
  }

  /** Starts nothing more, and waits for verdicts that are still out, at most so long. */
  async drain(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const { schedule } of this.#planned.values()) schedule?.stop();
    const { clock } = this.#parts;
    const enough = new AbortController();
    const all = Promise.allSettled([...this.#unsettled]).then(() => enough.abort());
    await Promise.race([all, sleepUntil(clock, clock.nowMs() + graceMs, enough.signal)]);
    enough.abort();
  }

  /** Resolves when no run waits for anything any more. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.#open]);
  }
}
