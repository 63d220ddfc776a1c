/** What the probe has learnt from earlier canaries: clock offset, durations, states seen. */

import type { PromiseId } from "../../contract/promises.ts";
import type { State } from "../../contract/states.ts";
import type { Offset, OffsetKnowledge } from "../../contract/timeline/clock-offset.ts";
import { learnOffset, NOTHING_KNOWN, offsetAt } from "../../contract/timeline/clock-offset.ts";
import type { Interval } from "../../contract/timeline/interval.ts";
import type { ViewLagKnowledge } from "../../contract/timeline/view-lag.ts";
import { learnViewLag, NO_LAG_KNOWN, viewLagMs } from "../../contract/timeline/view-lag.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { Settled } from "../events.ts";
import { JobSeries } from "../judging-series.ts";
import { Durations } from "../polls/durations.ts";
import type { PollPlan } from "../polls/placement.ts";
import { planPolls } from "../polls/placement.ts";
import { Charges } from "./costs/charges.ts";
import { UsualCosts } from "./costs/usual-costs.ts";
import { OwnJobs } from "./own-jobs.ts";

/** What one run teaches, as its journal keeps it. */
export type Lesson = Pick<Settled, "duration" | "seen">;

interface Course {
  durations: Durations;
  plan: PollPlan | null;
  /** What the plan was made for, and from how many jobs. */
  plannedFor: string;
  plannedFrom: number;
}

/** Ours: a plan is made anew after a tenth more jobs, at the latest after so many. */
const PLAN_JOBS_MAX = 8;
const PLAN_JOBS_SHARE = 0.1;

const GOING_BACK: readonly PromiseId[] = ["job.forward-only", "job.terminal-final"];
/** Promises that a job breaks by when polls showed its states. */
const BY_POLLED_TIMES: readonly PromiseId[] = [
  "job.duration",
  "timeout.not-early",
  "timeout.not-late",
];
/** Ours: a replica that lags now and then shows it in some of the jobs of an hour. */
const WRONG_VIEWS_MS = 3_600_000;

export class Knowledge {
  /** Judges of what single jobs can't show. */
  readonly series = new JobSeries();
  readonly ownJobs = new OwnJobs();
  readonly charges = new Charges();
  readonly costs = new UsualCosts();
  /** Limits of workers' runs in seconds, as they were last stated. */
  readonly limits = new Map<string, { seconds: number | null; untilMs: number }>();
  /** Whether the list of workers has named one of a canary's. */
  listsWorkers = false;
  #offset: OffsetKnowledge = NOTHING_KNOWN;
  #viewLag: ViewLagKnowledge = NO_LAG_KNOWN;
  #wrongViewsAtMs = Number.NEGATIVE_INFINITY;
  readonly #courses = new Map<string, Course>();
  /** By worker: how many jobs ended, and in how many each state was seen. */
  readonly #jobs = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  /** By canary: how many of its jobs took turns. */
  readonly #turns = new Map<string, number>();

  learnOffset(createdMs: Interval, times: { sentAtMs: number; receivedAtMs: number }): number {
    const before = this.#offset.steps;
    this.#offset = learnOffset(this.#offset, createdMs, times);
    return this.#offset.steps - before;
  }

  /** null where it is not known, or was contradicted since the given time; see `offsetAt`. */
  offset(nowMs: number, sinceMs?: number): Offset | null {
    return offsetAt(this.#offset, nowMs, sinceMs);
  }

  /** Of a job that ended: by how much views of it lagged behind, at the least. */
  learnViewLag(leastMs: number): void {
    this.#viewLag = learnViewLag(this.#viewLag, leastMs);
  }

  /** Counts up, from 0, with each job of the canary that asks. */
  turnOf(canary: string): number {
    const turn = this.#turns.get(canary) ?? 0;
    this.#turns.set(canary, turn + 1);
    return turn;
  }

  /** By how much polls may lag behind the truth; 0 where none does. */
  viewLagMs(): number {
    return viewLagMs(this.#viewLag);
  }

  /**
   * What is seen broken. While views of jobs go back, or are older than any replica's, a poll that
   * shows an earlier state than there was bounds no times: what follows is no fault of its own.
   */
  credible(findings: readonly Finding[], atMs: number): readonly Finding[] {
    const goesBack = findings.some(({ promise }) => GOING_BACK.includes(promise));
    if (goesBack) this.#wrongViewsAtMs = atMs;
    if (atMs - this.#wrongViewsAtMs >= WRONG_VIEWS_MS) return findings;
    return findings.filter(({ promise }) => !BY_POLLED_TIMES.includes(promise));
  }

  /** A job was still shown as not ended long after its webhook. */
  wentStale(atMs: number): void {
    this.#wrongViewsAtMs = atMs;
  }

  /** After a sleep of the machine or a setting of its clock nothing is known of the other one. */
  forgetOffset(): void {
    this.#offset = { ...this.#offset, windows: [] };
    this.ownJobs.forget();
    this.charges.forget();
  }

  /** Learns from a job of this canary and worker, of this process or an earlier one. */
  learn(canary: string, workerId: string, { duration, seen }: Lesson): void {
    if (duration !== null) this.#course(canary).durations.learn(duration);
    if (seen.length === 0) return;
    this.#jobs.set(workerId, (this.#jobs.get(workerId) ?? 0) + 1);
    for (const state of new Set(seen)) {
      const key = `${workerId} ${state}`;
      this.#seen.set(key, (this.#seen.get(key) ?? 0) + 1);
    }
  }

  /** When the polls of the canary's jobs go. */
  pollPlan(canary: string, deadlineMs: number, polls: number): PollPlan {
    const course = this.#course(canary);
    const { durations, plan, plannedFor, plannedFrom } = course;
    const wanted = `${deadlineMs} ${polls}`;
    const fresh = durations.learnt - plannedFrom;
    const isStale = fresh >= Math.min(PLAN_JOBS_MAX, Math.max(1, plannedFrom * PLAN_JOBS_SHARE));
    if (plan !== null && plannedFor === wanted && !isStale) return plan;
    course.plan = planPolls(durations.density(), deadlineMs, polls);
    course.plannedFor = wanted;
    course.plannedFrom = durations.learnt;
    return course.plan;
  }

  /** In how many of the worker's jobs that ended the state was seen. */
  sightings(workerId: string, state: State): { seen: number; jobs: number } {
    const seen = this.#seen.get(`${workerId} ${state}`) ?? 0;
    return { seen, jobs: this.#jobs.get(workerId) ?? 0 };
  }

  #course(canary: string): Course {
    const known = this.#courses.get(canary);
    if (known !== undefined) return known;
    const durations = new Durations();
    const made: Course = { durations, plan: null, plannedFor: "", plannedFrom: 0 };
    this.#courses.set(canary, made);
    return made;
  }
}
