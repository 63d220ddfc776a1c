/**
 * The tracker against a simulated service: polls that are lost or late, webhooks, clocks that are
 * set, crashes with gaps. All from one seed, in no time, and what is published held against truth.
 */

import { isTerminal } from "../../../contract/states.ts";
import type { Observation } from "../../../contract/timeline/observation.ts";
import { NO_STAMPS } from "../../../contract/timeline/observation.ts";
import { endOf, observe } from "../../../contract/timeline/track.ts";
import { transitionsOf } from "../../../contract/timeline/transitions.ts";
import type { Emit } from "../../../probe/events.ts";
import { observationSchema } from "../../../probe/journal/records.ts";
import type { Lesson } from "../../../probe/operation/knowledge.ts";
import { Knowledge } from "../../../probe/operation/knowledge.ts";
import {
  lessonOf,
  markReported,
  offsetFor,
  reportTrack,
} from "../../../probe/operation/runs/report-track.ts";
import { newRun, takeIn } from "../../../probe/operation/runs/run.ts";
import { nextPollMs } from "../../../probe/polls/placement.ts";
import { probeClock } from "../../../simulation/probe-clock.ts";
import { Agenda } from "./agenda.ts";
import { CANARY, intentOf } from "./canary.ts";
import type { Followed } from "./invariants.ts";
import { followed, problemsOf } from "./invariants.ts";
import type { Random } from "./random.ts";
import { seededRandom } from "./random.ts";
import type { World } from "./world.ts";
import { newWorld, pick, stateAt } from "./world.ts";

export interface SimulationResult {
  problems: string[];
  jobs: number;
  /** Transitions that were reported, and polls that were taken for them. */
  transitions: number;
  polls: number;
  /** Of each job that ended, in order: whether its bounds held the truth, and the lag known. */
  ended: { lagMs: number; holds: boolean }[];
}

const POLLS = 6;
/** Polls after the deadline. */
const LATE_POLLS = 3;

/** `staleMs`: the service breaks its promises, and shows jobs as they were so long ago. */
export function simulate(seed: number, staleMs = 0): SimulationResult {
  const simulation = new Simulation(seededRandom(seed), staleMs);
  simulation.run();
  return simulation.result;
}

class Simulation {
  readonly result: SimulationResult = {
    problems: [],
    jobs: 0,
    transitions: 0,
    polls: 0,
    ended: [],
  };
  readonly #random: Random;
  readonly #world: World;
  readonly #agenda = new Agenda();
  /** How far the probe's clock is ahead of true time; another one after each gap. */
  #aheadMs = 1.7e12;
  /** Counts up with each crash: what an earlier process waited for never comes. */
  #process = 0;
  #isDown = false;
  #knowledge = new Knowledge();
  #lessons: Lesson[] = [];
  readonly #open = new Set<Followed>();

  constructor(random: Random, staleMs: number) {
    this.#random = random;
    this.#world = newWorld(random, staleMs);
  }

  run(): void {
    const jobs = 3 + Math.floor(this.#random() * 15);
    const everyMs = pick(this.#random, [2_000, 10_000, 30_000]);
    for (let n = 0; n < jobs; n += 1) {
      this.#agenda.at(n * everyMs + this.#random() * everyMs, () => {
        if (!this.#isDown) this.#submit();
      });
    }
    while (this.#random() < 0.35) {
      const crashes = this.#random() < 0.6;
      const atMs = this.#random() * jobs * everyMs;
      this.#agenda.at(atMs, () => (crashes ? this.#crash() : this.#suspend()));
    }
    this.#agenda.run();
  }

  get #nowMs(): number {
    return this.#agenda.nowMs + this.#aheadMs;
  }

  /** Calls back after a delay unless the process has crashed meanwhile. */
  #after(ms: number, callback: () => void): void {
    const process = this.#process;
    this.#agenda.at(this.#agenda.nowMs + ms, () => {
      if (process === this.#process) callback();
    });
  }

  #wayMs(): number {
    const slow = this.#random() < 0.03 ? this.#random() * 4_000 : 0;
    return this.#random() * this.#world.latencyMs + slow;
  }

  #submit(): void {
    const sentAtMs = this.#nowMs;
    const submittedMs = this.#agenda.nowMs;
    const wayMs = this.#wayMs();
    const history = this.#world.newJob(submittedMs + wayMs);
    const created = this.#world.stampOf(submittedMs + wayMs);
    const run = newRun(intentOf(this.result.jobs, sentAtMs), CANARY);
    const job = followed(run, history, submittedMs, this.#aheadMs);
    this.result.jobs += 1;
    this.#open.add(job);
    this.#deliver(job);
    this.#after(wayMs + this.#wayMs(), () => {
      const times = { sentAtMs, receivedAtMs: this.#nowMs };
      this.#knowledge.learnOffset(created, times);
      const stamps = { ...NO_STAMPS, created };
      this.#take(job, { kind: "accepted", ...times, state: "queued", stamps });
      this.#plan(job, 0);
    });
  }

  /** The webhook, where the job has one: at its end, after the waits of failed deliveries. */
  #deliver(job: Followed): void {
    const end = job.history.at(-1);
    const isAsked = this.#random() < 0.4;
    if (end === undefined || !isTerminal(end.state) || !isAsked) return;
    const firesAtMs = end.atMs + this.#random() * 50;
    const waitMs = pick(this.#random, [0, 0, 0, 5_000, 35_000]) + this.#wayMs();
    this.#agenda.at(firesAtMs + waitMs, () => {
      if (this.#random() < 0.1 || !this.#open.has(job) || this.#isDown) return;
      const stamps = this.#world.stampsAt(job.history, firesAtMs);
      const fired = this.#random() < 0.8 ? this.#world.stampOf(firesAtMs) : null;
      const { state } = end;
      this.#take(job, { kind: "delivery", arrivedAtMs: this.#nowMs, state, stamps, fired });
      if (job.polls < POLLS && job.run.track.polls.length > 0) this.#poll(job);
    });
  }

  #take(job: Followed, observation: Observation): void {
    const note = async (_run: string, _seq: number, noted: Observation) => {
      job.journal.push(JSON.stringify(noted));
    };
    takeIn({ journal: { note } }, job.run, observation);
    this.#check(job);
  }

  #check(job: Followed): void {
    const offset = offsetFor(this.#parts(job), job.run);
    const steps = this.#world.steps.filter(({ atMs }) => {
      return atMs >= job.submittedMs && atMs <= this.#agenda.nowMs;
    });
    const lagMs = this.#knowledge.viewLagMs();
    const found = problemsOf(job, offset, steps.length > 0, lagMs);
    if (endOf(job.run.track) !== null) this.result.ended.push({ lagMs, holds: found.length === 0 });
    this.result.problems.push(...found.map((each) => `${job.run.intent.runId}: ${each}`));
  }

  #plan(job: Followed, waitMs: number): void {
    const { deadlineMs, intendedAtMs } = job.run.intent;
    const elapsedMs = this.#nowMs - intendedAtMs;
    if (elapsedMs >= deadlineMs) {
      this.#planLate(job);
      return;
    }
    const plan = this.#knowledge.pollPlan(CANARY.name, deadlineMs, POLLS);
    const plannedMs = nextPollMs(plan, elapsedMs, POLLS - job.polls);
    this.#pollAfter(job, Math.max(waitMs, Math.min(deadlineMs, plannedMs) - elapsedMs));
  }

  /** At the deadline there is a verdict; the job is followed for some time after it. */
  #planLate(job: Followed): void {
    this.#settle(job);
    job.latePolls += 1;
    if (job.latePolls > LATE_POLLS) this.#open.delete(job);
    else this.#pollAfter(job, 15_000 * 2 ** job.latePolls);
  }

  #pollAfter(job: Followed, waitMs: number): void {
    job.turn += 1;
    const { turn } = job;
    this.#after(waitMs, () => {
      if (job.turn === turn) this.#poll(job);
    });
  }

  #poll(job: Followed): void {
    if (!this.#open.has(job)) return;
    job.turn += 1;
    if (!job.isSettled) job.polls += 1;
    this.result.polls += 1;
    const sentAtMs = this.#nowMs;
    const wayMs = this.#wayMs();
    const isLost = this.#random() < 0.06;
    const backMs = this.#wayMs() + (this.#random() < 0.03 ? this.#random() * 8_000 : 0);
    const atMs = this.#agenda.nowMs + wayMs;
    const state = stateAt(job.history, atMs - this.#world.staleMs);
    const stamps = this.#world.stampsAt(job.history, atMs - this.#world.staleMs);
    this.#after(wayMs + backMs, () => {
      if (!this.#open.has(job)) return;
      const receivedAtMs = this.#nowMs;
      if (!isLost) this.#take(job, { kind: "poll", sentAtMs, receivedAtMs, state, stamps });
      if (endOf(job.run.track) === null) {
        this.#plan(job, isLost ? 500 : 0);
      } else {
        this.#open.delete(job);
        this.#settle(job);
      }
    });
    // An answer that is late may be overtaken by the next one.
    if (backMs > 1_000 && this.#random() < 0.5) this.#plan(job, 0);
  }

  /** The verdict, or what came to be known after it. */
  #settle(job: Followed): void {
    if (!job.isSettled && job.polls > POLLS + 1 + job.restarts) {
      this.result.problems.push(`${job.run.intent.runId}: ${job.polls} polls`);
    }
    const { run } = job;
    reportTrack(this.#parts(job), run, this.#world.variant);
    job.isSettled = true;
    if (endOf(run.track) === null) return;
    const lesson = lessonOf(run, transitionsOf(run.track, offsetFor(this.#parts(job), run)));
    this.#lessons.push(JSON.parse(JSON.stringify(lesson)) as Lesson);
  }

  /** What of the probe's parts the report of a job takes. */
  #parts(job: Followed) {
    const emit: Emit = (event) => {
      if (event.type === "transition") {
        this.result.transitions += 1;
        job.reports.push(event.transition.to);
      }
      if (event.type === "terminal") job.ends.push(event.state);
    };
    const never = () => () => {};
    const clock = probeClock({ nowMs: () => this.#nowMs, callAt: never, soon: never });
    return { clock, emit, knowledge: this.#knowledge };
  }

  /** The process ends, and after a while another one reads the journal. */
  #crash(): void {
    this.#process += 1;
    this.#isDown = true;
    this.#agenda.at(this.#agenda.nowMs + this.#random() * 60_000, () => {
      if (!this.#isDown) return;
      this.#isDown = false;
      this.#aheadMs += pick(this.#random, [0, 1, -1]) * this.#random() * 10_000;
      this.#knowledge = new Knowledge();
      const { name, workerId } = CANARY;
      for (const lesson of this.#lessons) this.#knowledge.learn(name, workerId, lesson);
      for (const job of [...this.#open]) this.#resume(job);
    });
  }

  #resume(job: Followed): void {
    // Without an identifier the job is looked for, which is not the tracker's.
    if (job.journal.length === 0) {
      this.#open.delete(job);
      return;
    }
    job.run = { ...newRun(job.run.intent, CANARY), resumed: true };
    for (const text of job.journal) {
      job.run.track = observe(job.run.track, observationSchema.parse(JSON.parse(text)));
    }
    if (job.isSettled) markReported(job.run);
    job.restarts += 1;
    job.aheadMs.push(this.#aheadMs);
    this.#take(job, { kind: "gap", atMs: this.#nowMs });
    this.#poll(job);
  }

  /** The machine sleeps: its clock went on by not quite the same, and timers are late. */
  #suspend(): void {
    if (this.#isDown) return;
    this.#aheadMs += this.#random() * 1_500;
    this.#knowledge.forgetOffset();
    for (const job of this.#open) {
      job.aheadMs.push(this.#aheadMs);
      this.#take(job, { kind: "gap", atMs: this.#nowMs });
    }
  }
}
