/** Answers to submissions that take as long as the jobs, however short those are. Spec §1.2. */

import type { Seen } from "../../judging/claim.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import { medianOf, percentileOf } from "../../numbers/figures.ts";
import { tookMsOf } from "../../requests/exchange.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd } from "../job/reading.ts";
import { statedLife } from "./index.ts";

/** Ours: fewer answers are as long as their jobs by accident. */
const JOBS_MIN = 12;
/** Ours: runs that differ by less are of one length, on a busy machine. */
const SPREAD_MS_MIN = 50;
/** Ours: the outermost tenths tell of a machine that stood still. */
const INNER = { from: 0.1, to: 0.9 } as const;
/**
 * Ours: of what runs differ by, the most that the times between their ends and the answers may
 * differ by. Whatever else takes time leaves a difference as large as that of the runs.
 */
const REST_SHARE = 0.25;

interface Timed {
  reading: JobReading;
  answeredMs: number;
  runMs: number;
  /** From the job's end, by its own times, to the answer. */
  afterEndMs: number;
  errorMs: number;
}

/** None where no worker's answers follow the runs. */
export function judgeAnsweredWithRun(readings: readonly JobReading[]): readonly Finding[] {
  const byWorker = new Map<string, Timed[]>();
  for (const timed of readings.flatMap(timedOf)) {
    const { workerId } = timed.reading.history;
    const jobs = byWorker.get(workerId) ?? [];
    byWorker.set(workerId, jobs);
    jobs.push(timed);
  }
  const told = [...byWorker].filter(([, jobs]) => jobs.length >= JOBS_MIN);
  const faults = told.flatMap(([worker, jobs]) => waitedFor(worker, jobs) ?? []);
  const good = told.length - faults.length;
  return judgeFaultsAlone({ promise: "submit.asynchronous", faults, good, of: "workers" });
}

function timedOf(reading: JobReading): readonly Timed[] {
  const stated = statedLife(reading);
  const runMs = firstEnd(reading)?.job.durationMs ?? null;
  if (stated === null || runMs === null) return [];
  const { lifeMs, errorMs } = stated;
  const answeredMs = tookMsOf(reading.history.submission);
  return [{ reading, answeredMs, runMs, afterEndMs: answeredMs - lifeMs, errorMs }];
}

/** null where answers come sooner than runs end, or at times that runs do not explain. */
function waitedFor(worker: string, jobs: readonly Timed[]): Seen | null {
  const runsMs = spreadOf(jobs.map(({ runMs }) => runMs));
  const overRun = jobs.map(({ answeredMs, runMs }) => answeredMs - runMs);
  // A run that begins at once ends with its answer, and one that had to wait, by its own times.
  const restMs = Math.min(spreadOf(overRun), spreadOf(jobs.map(({ afterEndMs }) => afterEndMs)));
  const errorMs = Math.max(...jobs.map((each) => each.errorMs));
  if (runsMs < SPREAD_MS_MIN || restMs + errorMs > REST_SHARE * runsMs) return null;
  if (percentileOf(overRun, INNER.from) < -errorMs) return null;
  const sorted = [...jobs].sort((a, b) => a.answeredMs - b.answeredMs);
  const ends = [...sorted.slice(0, 1), ...sorted.slice(-1)];
  const [least, most] = ends.map(({ answeredMs }) => Math.round(answeredMs));
  const what =
    `responses to ${jobs.length} jobs of "${worker}" took ${least} to ${most} ms, each ` +
    `${Math.round(medianOf(overRun))} ms or so longer than the run; promised not to wait for it`;
  return { what, exchanges: ends.map(({ reading }) => reading.history.submission) };
}

function spreadOf(values: readonly number[]): number {
  return percentileOf(values, INNER.to) - percentileOf(values, INNER.from);
}
