/** A service in a few lines of arithmetic: what k6 would measure on it, without waiting for it. */

import { newHistogram, recordValue } from "../../contract/numbers/histogram.ts";
import type { CapacityOrder, StepMeasurement } from "../../contract/run/capacity-step.ts";
import { quantilesOf } from "../../contract/run/capacity-step.ts";
import type { Random } from "../../scenarios/world/random.ts";

export interface SimulatedService {
  kind: "slots" | "shared" | "limited";
  /** Runs at once; those that share; without a meaning where it is limited. */
  slots: number;
  runSeconds: number;
  /** Jobs admitted a second where it is limited. */
  admitted: number;
  /** By which share run times differ, evenly up and down. */
  variation: number;
  /** Share of the steps in which this machine is too busy to measure. */
  busyShare: number;
  /** Share of the jobs that fail. */
  failing: number;
}

export function capacityOf({ kind, slots, runSeconds, admitted }: SimulatedService): number {
  return kind === "limited" ? admitted : slots / runSeconds;
}

interface SimulatedJob {
  sentAt: number;
  startedAt: number;
  endedAt: number;
  isRefused: boolean;
  isFailed: boolean;
}

const START_SECONDS = 0.05;
const RUN_SECONDS = 0.4;
const INTERVAL_SECONDS = 0.5;

export function simulateStep(
  service: SimulatedService,
  order: CapacityOrder,
  random: Random,
): StepMeasurement {
  const jobs = arrivals(order).map((sentAt): SimulatedJob => {
    return { sentAt, startedAt: sentAt, endedAt: sentAt, isRefused: false, isFailed: false };
  });
  const runOf = () => service.runSeconds * (1 + service.variation * (2 * random.next() - 1));
  if (service.kind === "slots") serveBySlots(jobs, service.slots, runOf);
  if (service.kind === "shared") serveShared(jobs, service, runOf);
  if (service.kind === "limited") serveLimited(jobs, service, runOf);
  for (const job of jobs) job.isFailed = random.next() < service.failing;
  return measured(jobs, order, random.next() < service.busyShare);
}

function arrivals({ ratePerSecond, durationMs }: CapacityOrder): number[] {
  const count = Math.floor((ratePerSecond * durationMs) / 1_000);
  return Array.from({ length: count }, (_, n) => n / ratePerSecond);
}

function serveBySlots(jobs: readonly SimulatedJob[], slots: number, runOf: () => number): void {
  const freeAt = Array.from({ length: slots }, () => 0);
  for (const job of jobs) {
    const next = freeAt.indexOf(Math.min(...freeAt));
    job.startedAt = Math.max(job.sentAt + START_SECONDS, freeAt[next] ?? 0);
    job.endedAt = job.startedAt + runOf();
    freeAt[next] = job.endedAt;
  }
}

/** In steps of a few milliseconds, each shared evenly by those that run. */
function serveShared(
  jobs: readonly SimulatedJob[],
  { slots }: SimulatedService,
  runOf: () => number,
): void {
  const tick = 0.005;
  const left = new Map<SimulatedJob, number>();
  let next = 0;
  for (let now = 0; next < jobs.length || left.size > 0; now += tick) {
    for (let job = jobs[next]; job !== undefined && job.sentAt <= now; job = jobs[next]) {
      job.startedAt = job.sentAt + START_SECONDS;
      left.set(job, runOf());
      next += 1;
    }
    const share = tick * Math.min(1, slots / Math.max(1, left.size));
    for (const [job, work] of left) {
      left.set(job, work - share);
      if (work > share) continue;
      job.endedAt = now + START_SECONDS;
      left.delete(job);
    }
  }
}

/** A token bucket that was just emptied. */
function serveLimited(
  jobs: readonly SimulatedJob[],
  { admitted }: SimulatedService,
  runOf: () => number,
): void {
  let tokens = 0;
  let before = 0;
  for (const job of jobs) {
    tokens += (job.sentAt - before) * admitted;
    before = job.sentAt;
    job.isRefused = tokens < 1;
    if (!job.isRefused) tokens -= 1;
    job.startedAt = job.sentAt + START_SECONDS;
    job.endedAt = job.startedAt + runOf();
  }
}

/** As a service does that runs each admitted job at once. */
export function measuredJobs(
  sent: readonly Pick<SimulatedJob, "sentAt" | "isRefused">[],
  order: CapacityOrder,
): StepMeasurement {
  const jobs = sent.map(({ sentAt, isRefused }) => {
    const startedAt = sentAt + START_SECONDS;
    return { sentAt, startedAt, endedAt: startedAt + RUN_SECONDS, isRefused, isFailed: false };
  });
  return measured(jobs, order, false);
}

function measured(
  jobs: readonly SimulatedJob[],
  { durationMs }: CapacityOrder,
  isBusy: boolean,
): StepMeasurement {
  const seconds = durationMs / 1_000;
  const late = jobs.filter(({ sentAt }) => sentAt >= seconds / 3);
  const admitted = late.filter(({ isRefused }) => !isRefused);
  const times = (pick: (job: SimulatedJob) => number) => {
    const histogram = newHistogram();
    for (const job of admitted) recordValue(histogram, pick(job) * 1_000);
    return quantilesOf(histogram);
  };
  const failed = jobs.filter(({ isFailed }) => isFailed).length;
  return {
    startedAtMs: 0,
    seconds,
    warmUpSeconds: seconds / 3,
    measured: { sent: late.length, refused429: late.length - admitted.length },
    sent: jobs.length,
    errors: failed,
    serviceErrors: 0,
    errorKinds: failed === 0 ? [] : [`${failed} 5xx`],
    latencyMs: times(({ sentAt, endedAt }) => endedAt - sentAt),
    submitMs: times(() => 0.002),
    queueWaitMs: times(({ sentAt, startedAt }) => startedAt - sentAt),
    runMs: times(({ startedAt, endedAt }) => endedAt - startedAt),
    answeredPerSecond: null,
    stretchSeconds: INTERVAL_SECONDS,
    series: seriesOf(
      jobs.filter(({ isRefused }) => !isRefused),
      seconds,
    ),
    generator: {
      scheduled: jobs.length,
      dropped: 0,
      lagP99Ms: isBusy ? 500 : 1,
      loopDelayP99Ms: 1,
      loopDelayMaxMs: 1,
    },
    hostLag: { wholeMs: 1, lastThirdMs: 1, runnablePerCore: 0.5 },
    newsLagP95Ms: 0,
    leftOpen: 0,
    stopped: null,
    untaken: null,
    variant: "B",
  };
}

function seriesOf(jobs: readonly SimulatedJob[], seconds: number): StepMeasurement["series"] {
  const steps = Array.from({ length: Math.ceil(seconds / INTERVAL_SECONDS) }, () => {
    return { offered: 0, accepted: 0, ended: 0, completed: 0 };
  });
  const at = (time: number) => steps[Math.floor(time / INTERVAL_SECONDS)];
  for (const { sentAt, endedAt, isFailed } of jobs) {
    const [sent, ended] = [at(sentAt), at(endedAt)];
    if (sent !== undefined) {
      sent.offered += 1;
      sent.accepted += 1;
    }
    if (ended === undefined) continue;
    ended.ended += 1;
    if (!isFailed) ended.completed += 1;
  }
  return steps;
}
