/** A service with a memory, in ticks of virtual time: what k6 would measure on it, step by step. */

import { newHistogram, quantileOf, recordValue } from "../../../contract/numbers/histogram.ts";
import type { CapacityOrder, StepMeasurement } from "../../../contract/run/capacity-step.ts";
import { quantilesOf } from "../../../contract/run/capacity-step.ts";
import type { Random } from "../../../scenarios/world/random.ts";

export interface Job {
  sentAt: number;
  /** When its submission is answered, and it enters the queue. */
  openAt: number;
  startedAt: number;
  endedAt: number;
  /** Work that is left, in seconds at full speed. */
  left: number;
  isFailed: boolean;
}

/** What a service is at a moment. */
export interface State {
  now: number;
  running: Job[];
  queue: Job[];
  random: Random;
}

export interface Service {
  /** Runs at once, now. */
  slots: (state: State) => number;
  /** Work of one job, in seconds. */
  work: (state: State) => number;
  /** Share of full speed at which each run goes on. */
  speed?: (state: State) => number;
  /** The status that refuses a submission; null admits it. */
  refuses?: (state: State) => number | null;
  /** Answer to a submission, in seconds. */
  submitSeconds?: (state: State) => number;
  fails?: (state: State, job: Job) => boolean;
  order?: "fifo" | "lifo";
  /** Whether queued jobs may start in this tick. */
  dispatches?: (state: State) => boolean;
  /** Called once a tick, for what has a memory. */
  tick?: (state: State, seconds: number) => void;
  startSeconds?: number;
  /** By how much later than it ends a job is seen to end. */
  lagSeconds?: number;
  hidesTimes?: boolean;
}

const TICK = 0.005;
const INTERVAL = 0.5;
const AROUND_STEP = 2;

export class SimulatedWorld {
  readonly state: State;
  readonly #service: Service;
  #ended: Job[] = [];
  waiting = 0;
  start = 0;
  openSubmissions = 0;
  #open: Job[] = [];

  constructor(service: Service, random: Random) {
    this.#service = service;
    this.state = { now: 0, running: [], queue: [], random };
  }

  step(order: CapacityOrder): StepMeasurement {
    const { state } = this;
    state.now += AROUND_STEP / 2;
    const start = state.now;
    const due = (order.ratePerSecond * order.durationMs) / 1_000;
    const all: { job: Job; refused: number | null; submit: number }[] = [];
    const seen: Job[] = [];
    let stopped: string | null = null;
    let offerEnd = start + order.durationMs / 1_000;
    let checkAt = start + 0.1;
    let next = 0;
    this.waiting = 0;
    this.start = start;
    while (state.now < offerEnd && stopped === null) {
      while (next < due && start + next / order.ratePerSecond <= state.now) {
        all.push(this.#offer());
        next += 1;
      }
      this.#tick();
      this.#see(seen);
      if (state.now >= checkAt) {
        checkAt += 0.1;
        stopped = this.#harm(order, all, seen, start);
        if (stopped !== null) offerEnd = state.now;
      }
    }
    const drainUntil = state.now + order.drainMsMax / 1_000;
    while (this.waiting + this.openSubmissions > 0 && state.now < drainUntil) {
      this.#tick();
      this.#see(seen);
    }
    const leftOpen = this.waiting + this.openSubmissions;
    const measurement = this.#measured(order, all, seen, start, offerEnd, stopped, leftOpen);
    const rest = state.now + AROUND_STEP / 2;
    while (state.now < rest) {
      this.#tick();
      this.#see(seen);
    }
    return measurement;
  }

  #offer() {
    const { state } = this;
    const service = this.#service;
    const job: Job = {
      sentAt: state.now,
      openAt: state.now,
      startedAt: Number.NaN,
      endedAt: Number.NaN,
      left: 0,
      isFailed: false,
    };
    const refused = service.refuses?.(state) ?? null;
    const submit = service.submitSeconds?.(state) ?? 0.002;
    if (refused === null) {
      job.left = service.work(state);
      job.openAt = state.now + submit;
      state.queue.push(job);
      this.#open.push(job);
      this.openSubmissions += 1;
    }
    return { job, refused, submit };
  }

  #take(): Job | undefined {
    const { state } = this;
    const service = this.#service;
    if (service.dispatches?.(state) === false) return undefined;
    const ready = (job: Job) => job.openAt + (service.startSeconds ?? 0.05) <= state.now + 1e-9;
    if (service.order === "lifo") {
      for (let at = state.queue.length - 1; at >= 0; at -= 1) {
        const job = state.queue[at];
        if (job !== undefined && ready(job)) return state.queue.splice(at, 1)[0];
      }
      return undefined;
    }
    const [first] = state.queue;
    return first !== undefined && ready(first) ? state.queue.shift() : undefined;
  }

  #tick(): void {
    const { state } = this;
    const service = this.#service;
    service.tick?.(state, TICK);
    this.#open = this.#open.filter(({ openAt }) => {
      if (openAt > state.now) return true;
      this.waiting += 1;
      this.openSubmissions -= 1;
      return false;
    });
    const slots = service.slots(state);
    while (state.running.length < slots) {
      const job = this.#take();
      if (job === undefined) break;
      job.startedAt = state.now;
      state.running.push(job);
    }
    const speed = Math.max(0, service.speed?.(state) ?? 1);
    const still: Job[] = [];
    for (let job of state.running) {
      let time = TICK;
      for (;;) {
        if (job.left > time * speed) {
          job.left -= time * speed;
          still.push(job);
          break;
        }
        const took = speed === 0 ? 0 : job.left / speed;
        time -= took;
        job.left = 0;
        job.endedAt = state.now + TICK - time;
        job.isFailed = service.fails?.(state, job) ?? false;
        this.#ended.push(job);
        if (state.running.length > slots) break;
        const other = this.#take();
        if (other === undefined) break;
        other.startedAt = job.endedAt;
        job = other;
      }
    }
    state.running = still;
    state.now += TICK;
  }

  #see(seen: Job[]): void {
    const lag = this.#service.lagSeconds ?? 0;
    const later: Job[] = [];
    for (const job of this.#ended) {
      if (job.endedAt + lag > this.state.now) later.push(job);
      else {
        seen.push(job);
        if (job.sentAt >= this.start) this.waiting -= 1;
      }
    }
    this.#ended = later;
  }

  #harm(
    order: CapacityOrder,
    all: readonly { refused: number | null; submit: number }[],
    seen: readonly Job[],
    start: number,
  ): string | null {
    const errors = all.filter(({ refused }) => refused !== null && refused !== 429).length;
    const own = seen.filter(({ sentAt }) => sentAt >= start);
    const failed = errors + own.filter(({ isFailed }) => isFailed).length;
    const requests = all.filter(({ refused }) => refused !== 429).length;
    if (requests >= 20 && failed / requests > order.harmShare) {
      return `${failed} of ${requests} requests and jobs failed`;
    }
    if (order.backlogMax !== null && this.waiting > order.backlogMax) {
      return `${this.waiting} jobs were in flight`;
    }
    if (order.latencyCeilingMs === null || own.length < 20) return null;
    const lives = newHistogram();
    for (const job of own) recordValue(lives, (job.endedAt - job.sentAt) * 1_000);
    const median = quantileOf(lives, 0.5) ?? 0;
    if (median <= order.latencyCeilingMs) return null;
    return `half of the jobs took longer than ${Math.round(order.latencyCeilingMs)} ms`;
  }

  #measured(
    order: CapacityOrder,
    all: readonly { job: Job; refused: number | null; submit: number }[],
    seen: readonly Job[],
    start: number,
    end: number,
    stopped: string | null,
    leftOpen: number,
  ): StepMeasurement {
    const isWhole = stopped === null;
    const seconds = end - start;
    const from = isWhole ? start + order.durationMs / 3_000 : start;
    const counted = all.filter(({ job }) => job.sentAt >= from - 1e-9);
    const ended = new Set(seen);
    const jobs = counted.filter(({ job, refused }) => refused === null && ended.has(job));
    const times = <T>(list: readonly T[], pick: (each: T) => number) => {
      const histogram = newHistogram();
      for (const each of list) recordValue(histogram, Math.max(0, pick(each)) * 1_000);
      return quantilesOf(histogram);
    };
    const hides = this.#service.hidesTimes ?? false;
    const lag = this.#service.lagSeconds ?? 0;
    const errors = all.filter(({ refused }) => refused !== null && refused !== 429).length;
    const failed = seen.filter(({ isFailed, sentAt }) => isFailed && sentAt >= start).length;
    const kinds = [
      ...(errors > 0 ? [`${errors} 5xx`] : []),
      ...(failed > 0 ? [`${failed} ended failed`] : []),
    ];
    return {
      startedAtMs: start * 1_000,
      seconds,
      warmUpSeconds: isWhole ? order.durationMs / 3_000 : 0,
      measured: {
        sent: counted.length,
        refused429: counted.filter(({ refused }) => refused === 429).length,
      },
      sent: all.length,
      errors: errors + failed,
      serviceErrors: failed,
      errorKinds: kinds,
      latencyMs: times(jobs, ({ job }) => job.endedAt - job.sentAt + (hides ? lag : 0)),
      submitMs: times(
        counted.filter(({ refused }) => refused === null),
        ({ submit }) => submit,
      ),
      queueWaitMs: hides ? null : times(jobs, ({ job }) => job.startedAt - job.sentAt),
      runMs: hides ? null : times(jobs, ({ job }) => job.endedAt - job.startedAt),
      answeredPerSecond: null,
      stretchSeconds: INTERVAL,
      series: this.#series(all, seen, start, seconds),
      generator: {
        scheduled: all.length,
        dropped: 0,
        lagP99Ms: 1,
        loopDelayP99Ms: 1,
        loopDelayMaxMs: 1,
      },
      hostLag: { wholeMs: 1, lastThirdMs: 1, runnablePerCore: 0.5 },
      newsLagP95Ms: hides ? 0 : lag * 1_000,
      leftOpen,
      stopped,
      untaken: untakenIn(all),
      variant: "B",
    };
  }

  #series(
    all: readonly { job: Job; refused: number | null }[],
    seen: readonly Job[],
    start: number,
    seconds: number,
  ): StepMeasurement["series"] {
    const lag = this.#service.lagSeconds ?? 0;
    const steps = Array.from({ length: Math.ceil(seconds / INTERVAL) }, () => {
      return { offered: 0, accepted: 0, ended: 0, completed: 0 };
    });
    const at = (time: number) => steps[Math.floor((time - start) / INTERVAL + 1e-9)];
    for (const { job, refused } of all) {
      const [sent, open] = [at(job.sentAt), at(job.sentAt)];
      if (sent !== undefined) sent.offered += 1;
      if (open !== undefined && refused === null) open.accepted += 1;
    }
    for (const job of seen) {
      if (job.sentAt < start) continue;
      const ended = at(job.endedAt + (this.#service.hidesTimes ? lag : 0));
      if (ended === undefined) continue;
      ended.ended += 1;
      if (!job.isFailed) ended.completed += 1;
    }
    return steps;
  }
}

/** As the client tells it of three or more. */
function untakenIn(all: readonly { refused: number | null }[]): string | null {
  const row = all.length - 1 - all.findLastIndex(({ refused }) => refused !== 402);
  return row < 3 ? null : `${row} submissions in a row got 402, Payment Required`;
}
