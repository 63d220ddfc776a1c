/**
 * The whole probe on virtual time, in several lives on one disk: each but the last ends in a crash
 * and leaves to the next what its files hold then.
 */

import { decodeAccepted } from "../contract/decode/accepted.ts";
import { decodeJob } from "../contract/decode/job.ts";
import { isTerminal } from "../contract/states.ts";
import type { Probe } from "../probe/probe.ts";
import type { Moment } from "./crash-plan.ts";
import { CrashPlan } from "./crash-plan.ts";
import { ProbeDisk } from "./probe-disk.ts";
import { startProbeProcess } from "./probe-process.ts";
import type { Scene } from "./scene.ts";
import { openScene } from "./scene.ts";
import type { LogLine, ProbeHistory, ProbeSimulation } from "./simulated-probe.ts";
import { GRACE_MS, openProbe, runsIn, witnessJobs } from "./simulated-probe.ts";

export interface Life {
  crash: CrashPlan;
  /** It ends by then if no write has ended it. */
  msMax: number;
  isPowerLoss: boolean;
  /** Until the next life begins. */
  downMs: number;
  /** From and to when its disk is full, by the life's own time; null: never. */
  full: readonly [number, number] | null;
}

/** What a run was to be known by, from before its job was submitted. */
export interface Mark {
  runId: string;
  text: string;
}

export interface LivesHistory extends Omit<ProbeHistory, "metrics"> {
  /** When the last life began, whose metrics these are. */
  lastStartedAtMs: number;
  /** Jobs that the journal counts as spent, those of recovered sums among them. */
  charged: number;
  isSpendingKnown: boolean;
  marks: readonly Mark[];
  /** By job, the body of its submission; and those whose end an answer has shown. */
  submitted: ReadonlyMap<string, string>;
  ended: ReadonlySet<string>;
  /** From and to when a disk was full. */
  full: readonly (readonly [number, number])[];
  /** Of the crashes that came at a write; the others came between them. */
  crashedAt: readonly Moment[];
}

export interface LivesSimulation extends ProbeSimulation {
  lives: readonly Life[];
  /** An empty one; it is the caller's to remove. */
  folder: string;
}

export async function simulateLives(simulation: LivesSimulation): Promise<LivesHistory> {
  const scene = openScene(simulation);
  const disk = new ProbeDisk(simulation.folder, scene.chance("disk"));
  const { lives, durationMs } = simulation;
  const lostMs = lives.reduce((sum, { msMax, downMs }) => sum + msMax + downMs, 0);
  const work = new Lives(scene, disk, simulation).live();
  return await scene.clock.run(work, lostMs + durationMs + 2 * GRACE_MS);
}

class Lives {
  readonly #scene: Scene;
  readonly #disk: ProbeDisk;
  readonly #simulation: LivesSimulation;
  readonly #log: LogLine[] = [];
  readonly #full: (readonly [number, number])[] = [];
  readonly #crashedAt: Moment[] = [];
  #lives = 0;
  #filledMs = 0;

  constructor(scene: Scene, disk: ProbeDisk, simulation: LivesSimulation) {
    this.#scene = scene;
    this.#disk = disk;
    this.#simulation = simulation;
  }

  async live(): Promise<LivesHistory> {
    const { clock } = this.#scene;
    const startedAtMs = clock.nowMs();
    const accepted = witnessJobs(this.#scene);
    const { submitted, ended } = witnessExchanges(this.#scene);
    for (const life of this.#simulation.lives) await this.#untilCrash(life);
    const lastStartedAtMs = clock.nowMs();
    const last = new CrashPlan(Number.MAX_VALUE, "before");
    const storage = this.#disk.forProcess(last);
    const probe = await this.#open(last, storage);
    probe.start();
    await clock.sleep(this.#simulation.durationMs);
    await probe.close(GRACE_MS);
    const { text: lastMetrics } = await probe.scrape("");
    const database = storage.database();
    const { jobs } = database.prepare("SELECT total(jobs) AS jobs FROM charges").get() ?? {};
    const unknown = database.prepare("SELECT 1 FROM unknown_spending").get();
    const marks = database.prepare("SELECT run_id AS runId, intent AS text FROM runs").all();
    const history: LivesHistory = {
      startedAtMs,
      lastStartedAtMs,
      lastMetrics,
      log: this.#log,
      runs: runsIn(database),
      accepted: accepted.all(),
      charged: Number(jobs),
      isSpendingKnown: unknown === undefined,
      marks: marks as unknown as readonly Mark[],
      submitted,
      ended,
      full: this.#full,
      crashedAt: this.#crashedAt,
    };
    storage.leave();
    return history;
  }

  async #untilCrash(life: Life): Promise<void> {
    const { clock } = this.#scene;
    const { crash, msMax, downMs, full, isPowerLoss } = life;
    const isOver = () => crash.isOver;
    if (full !== null) this.#fill(full, isOver);
    const storage = this.#disk.forProcess(crash);
    // A start that a write ends has no probe.
    const started = this.#open(crash, storage).then(
      (probe) => {
        if (!isOver()) probe.start();
      },
      (error: unknown) => {
        if (!isOver()) throw error;
      },
    );
    await Promise.race([Promise.all([started, clock.sleep(msMax)]), crash.over]);
    if (isOver()) this.#crashedAt.push(crash.moment);
    crash.end();
    // What the end of a process sets off has run its course.
    await clock.sleep(0);
    this.#empty();
    this.#disk.recover(isPowerLoss);
    await clock.sleep(downMs);
  }

  #fill([fromMs, toMs]: readonly [number, number], isOver: () => boolean): void {
    const { clock } = this.#scene;
    clock.after(fromMs, () => {
      if (isOver()) return;
      this.#disk.isFull = true;
      this.#filledMs = clock.nowMs();
    });
    clock.after(toMs, () => {
      if (!isOver()) this.#empty();
    });
  }

  #empty(): void {
    if (!this.#disk.isFull) return;
    this.#disk.isFull = false;
    this.#full.push([this.#filledMs, this.#scene.clock.nowMs()]);
  }

  #open(crash: CrashPlan, storage: ReturnType<ProbeDisk["forProcess"]>): Promise<Probe> {
    const ports = startProbeProcess(this.#scene, storage, { crash, life: this.#lives });
    this.#lives += 1;
    return openProbe(this.#scene, ports, this.#simulation, (line) => {
      if (!crash.isOver) this.#log.push(line);
    });
  }
}

/** What goes through the service's door: of each job its submission, and whether it ended. */
function witnessExchanges({ service }: Scene): {
  submitted: ReadonlyMap<string, string>;
  ended: ReadonlySet<string>;
} {
  const submitted = new Map<string, string>();
  const ended = new Set<string>();
  const { serve } = service;
  service.serve = (request, reply) =>
    serve(request, (answer) => {
      const body = parsed(answer.body);
      const { value: job } = decodeJob(body);
      const issued = request.method === "POST" ? decodeAccepted(body).value?.id : null;
      if (issued != null) submitted.set(issued, request.body);
      if (job?.id != null && isTerminal(job.state)) ended.add(job.id);
      reply(answer);
    });
  return { submitted, ended };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
