/**
 * A computer of the simulation: programs on it take processor time one callback after another, and
 * all stand still together when it stalls. Lateness is never set; it follows from both.
 */

import type { Draw } from "./chance.ts";
import { between, exponential } from "./chance.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface MachineModel {
  /** Mean time between stalls; Infinity: none. */
  stallEveryMs: number;
  /** Shortest and longest stall. */
  stallMs: readonly [number, number];
  /** How much longer everything takes than on an idle machine. */
  slowness: number;
  /** Mean wait for a processor: of a program that has slept, or whose time slice is over. */
  waitMs: number;
}

/** Nobody else uses this machine. */
export const IDLE_MACHINE: MachineModel = {
  stallEveryMs: Number.POSITIVE_INFINITY,
  stallMs: [0, 0],
  slowness: 1,
  waitMs: 0,
};

/** A stretch in which the machine let nobody run. */
export interface Stall {
  fromMs: number;
  toMs: number;
}

/** Ours: of the longest ago nobody asks any more, and a week has hundreds of thousands. */
const STALLS_KEPT = 1_000;

export class Machine {
  readonly model: MachineModel;
  readonly clock: VirtualClock;
  readonly #draw: Draw;
  /** The latest, in order; made as far as anybody has asked. */
  readonly stalls: Stall[] = [];
  #knownToMs: number;

  constructor(clock: VirtualClock, model: MachineModel, draw: Draw) {
    this.clock = clock;
    this.model = model;
    this.#draw = draw;
    this.#knownToMs = clock.nowMs();
  }

  /** The first time from then on at which a program may run. */
  runnableAt(ms: number): number {
    const { stallEveryMs, stallMs } = this.model;
    while (this.#knownToMs <= ms && stallEveryMs !== Number.POSITIVE_INFINITY) {
      const fromMs = this.#knownToMs + exponential(this.#draw, stallEveryMs);
      const toMs = fromMs + between(this.#draw, stallMs[0], stallMs[1]);
      this.stalls.push({ fromMs, toMs });
      this.#knownToMs = toMs;
    }
    if (this.stalls.length > 2 * STALLS_KEPT) this.stalls.splice(0, STALLS_KEPT);
    for (let index = this.stalls.length - 1; index >= 0; index -= 1) {
      const stall = this.stalls[index];
      if (stall === undefined || stall.toMs <= ms) break;
      if (stall.fromMs <= ms) return stall.toMs;
    }
    return ms;
  }

  /** When a program that wants a processor then has one. */
  givenAt(ms: number): number {
    return this.runnableAt(ms + exponential(this.#draw, this.model.waitMs));
  }

  /** When work that begins then is done. */
  doneAt(ms: number, costMs: number): number {
    return this.runnableAt(ms) + costMs * this.model.slowness;
  }
}

/** Ours: what Linux lets a program run before it looks for another one; EEVDF's base slice. */
const SLICE_MS = 3;

/** A program with one event loop: callbacks wait for those before them. */
export class Program {
  readonly machine: Machine;
  readonly #waiting: { callback: () => void; costMs: number }[] = [];
  #busyUntilMs: number;
  /** When the callback before ran. */
  #doneMs = Number.NEGATIVE_INFINITY;
  #isPumping = false;
  #killedAtMs = Number.POSITIVE_INFINITY;
  /** Until then it keeps its processor, as long as it does not sleep. */
  #sliceEndMs = 0;

  constructor(machine: Machine) {
    this.machine = machine;
    this.#busyUntilMs = machine.clock.nowMs();
  }

  /** The program's own present: after all that it has done so far. */
  nowMs(): number {
    return Math.max(this.machine.clock.nowMs(), this.#busyUntilMs);
  }

  /** Work within the callback that runs now; what comes after it comes so much later. */
  spend(costMs: number): void {
    this.#busyUntilMs = this.nowMs() + costMs * this.machine.model.slowness;
  }

  /** Nothing of it runs any more; what it has sent is on its way. */
  kill(): void {
    this.#killedAtMs = this.machine.clock.nowMs();
    this.#waiting.length = 0;
  }

  /** Whether it got as far as to what its present callback does then. */
  reached(ms: number): boolean {
    return ms <= this.#killedAtMs;
  }

  #isKilled(): boolean {
    return this.#killedAtMs !== Number.POSITIVE_INFINITY;
  }

  /** Puts a callback at the end of the queue; it runs once it has cost so much. */
  enqueue(costMs: number, callback: () => void): void {
    if (this.#isKilled()) return;
    this.#waiting.push({ callback, costMs });
    if (this.#isPumping) return;
    if (this.machine.clock.nowMs() > this.#doneMs) this.#pump();
    else this.#pumpNext();
  }

  /** In an event of its own: what the present callback set off may still spend time. */
  #pumpNext(): void {
    this.#isPumping = true;
    const { clock } = this.machine;
    clock.plainAt(clock.nowMs(), () => this.#pump());
  }

  #pump(): void {
    const next = this.#waiting.shift();
    this.#isPumping = next !== undefined;
    if (next === undefined) return;
    const { clock } = this.machine;
    const doneMs = this.machine.doneAt(this.#startMs(), next.costMs);
    clock.at(doneMs, () => {
      if (this.#isKilled()) return;
      this.#busyUntilMs = doneMs;
      this.#doneMs = doneMs;
      next.callback();
      this.#isPumping = false;
      if (this.#waiting.length > 0) this.#pumpNext();
    });
  }

  /** When the next callback may begin: at once while the program still has its processor. */
  #startMs(): number {
    const nowMs = this.nowMs();
    const hasSlept = this.machine.clock.nowMs() > this.#busyUntilMs;
    if (!hasSlept && nowMs < this.#sliceEndMs) return nowMs;
    const startMs = this.machine.givenAt(nowMs);
    this.#sliceEndMs = startMs + SLICE_MS;
    return startMs;
  }
}
