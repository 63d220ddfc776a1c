/**
 * Faults of a job's timestamps and of its duration, mostly in completed jobs only. A start that is
 * told too late makes the wait in the queue longer: hence the companion.
 */

import { wholeMs } from "../clock.ts";
import type { Job } from "../jobs/job.ts";
import type { Fields } from "./answers.ts";
import { B_ONLY, type Fault, faultsOf, ofJobs } from "./fault.ts";
import {
  done,
  everyTime,
  jobs,
  ofCompleted,
  onJob,
  shifted,
  shownAs,
  timeMs,
  timeOff,
  withDuration,
  withoutZone,
  withTimes,
} from "./job-views.ts";

/** Rewrites each time of completed jobs. */
const onTimes = (bend: (text: string) => string) => ofCompleted(everyTime(bend));

/** As a column has it that each change of the job writes. */
const endedAtLastChange = (body: Fields) =>
  withTimes(body, (times, { submitted, started, finished }) => {
    return { ...times, [finished]: (started && times[started]) ?? times[submitted] };
  });

const TIME_FAULTS = [
  ...faultsOf("job.timestamps", {
    "no-milliseconds": [
      "Times have whole seconds only",
      onTimes((text) => `${shifted(text, 0).slice(0, 19)}Z`),
      B_ONLY,
    ],
    "no-zone": ["Times have no zone", onTimes(withoutZone)],
    "local-time": [
      "Times are in a zone two hours east",
      onTimes((text) => `${shifted(text, 7_200_000).slice(0, 23)}+02:00`),
    ],
    "not-iso": [
      "Times are given in words",
      onTimes((text) => new Date(timeMs(text)).toUTCString()),
    ],
    "out-of-order": [
      "A job was submitted one second after it ended",
      ofCompleted(timeOff("submitted", 1_000, "finished")),
    ],
    "end-of-what-goes-on": [
      "A job that has not ended tells its last change as its end",
      jobs((job) => !done(job), endedAtLastChange),
    ],
    "in-the-future": [
      "1 job in 3 ran a minute from now",
      ofCompleted((body) => withTimes(body, aMinuteLater), 3),
      { companions: ["load.latency"] },
    ],
    "end-to-the-second": [
      "1 job in 4 tells its end rounded to the second, with zeros",
      ofCompleted(
        (body) =>
          withTimes(body, (times, { finished }) => ({
            ...times,
            [finished]: toTheSecond(times[finished]),
          })),
        4,
      ),
      { ...B_ONLY, choices: { stamps: "ms" }, companions: ["job.duration"] },
    ],
    "near-zero-offset": [
      "UTC is written as +00:00",
      onTimes((text) => text.replace(/Z$/, "+00:00")),
    ],
    "near-microseconds": [
      "Times have microseconds",
      onTimes((text) => text.replace(/(\.\d{3})/, "$1000")),
    ],
  }),
];

/** As a column without decimals keeps it. */
function toTheSecond(text: unknown): string {
  return new Date(Math.round(timeMs(text) / 1_000) * 1_000).toISOString();
}

/** Start and end move together, so that the duration stays what it was. */
function aMinuteLater(
  times: Fields,
  { started, finished }: { started: string | null; finished: string },
): Fields {
  const names = started === null ? [finished] : [started, finished];
  const later = names.map((name) => [name, shifted(times[name], 60_000)]);
  return { ...times, ...Object.fromEntries(later) };
}

/** When a job was run again: half its time after it had started. */
function secondStartMs({ startedAtMs, runMs }: Job): number {
  return (startedAtMs ?? 0) + runMs / 2;
}

/** From halfway through its run a job waits for a quarter of it, and tells of what it ran then. */
const queuedAgain = ofJobs(1, (_, { clock, timeScale }) => {
  const isIn = ({ worker, runMs }: Job) => runMs < worker.timeoutSeconds * 1_000 * timeScale;
  const isAgain = (job: Job) => {
    const atMs = job.finishedAtMs ?? wholeMs(clock);
    return isIn(job) && job.startedAtMs !== null && atMs >= secondStartMs(job);
  };
  return onJob(isAgain, (body, job) => {
    const byMs = Math.floor(job.runMs / 2);
    if (job.state === "running") {
      const isWaiting = wholeMs(clock) < secondStartMs(job) + job.runMs / 4;
      return isWaiting ? shownAs("queued")(body) : body;
    }
    return withTimes(body, (times, { started }) => ({
      ...times,
      ...(started === null ? {} : { [started]: shifted(times[started], byMs) }),
      duration_ms: Number(times.duration_ms) - byMs,
    }));
  });
});

const RUN_FAULTS = faultsOf("job.run-once", {
  "queued-again-halfway": [
    "Halfway through its run a job is queued again and runs a second time",
    queuedAgain,
    { variants: ["A"], companions: ["job.forward-only"] },
  ],
  "started-again-halfway": [
    "Halfway through its run a job is started again",
    jobs(
      (job, clock) => job.startedAtMs !== null && wholeMs(clock) >= secondStartMs(job),
      (body, job) =>
        withTimes(body, (times, { started }) =>
          started === null
            ? times
            : { ...times, [started]: shifted(times[started], job.runMs / 2) },
        ),
    ),
    { ...B_ONLY, companions: ["job.duration"] },
  ],
});

const onDuration = (bend: (durationMs: number) => unknown, oneOf = 1) =>
  ofCompleted(withDuration(bend), oneOf);

/** Of jobs that end otherwise, too. */
const ofAll = (bend: (durationMs: number) => number) => jobs(done, withDuration(bend));

const DURATION_FAULTS = [
  ...faultsOf("job.duration", {
    fractional: ["The duration is no whole number", onDuration((ms) => ms + 0.5)],
    "as-text": ["The duration is a text", onDuration(String)],
    negative: ["The duration is below zero", onDuration((ms) => -ms)],
    "a-second-too-long": [
      "The duration is a second longer than the run",
      onDuration((ms) => ms + 1_000),
    ],
    "8-percent-too-long": [
      "The duration is 8 % and 5 ms longer than the run",
      onDuration((ms) => Math.round(ms * 1.08) + 5),
      B_ONLY,
    ],
    "once-in-a-while": [
      "1 job in 6 has a duration a second too long",
      onDuration((ms) => ms + 1_000, 6),
    ],
    "in-seconds": ["The duration is in seconds", ofAll((ms) => Math.round(ms / 1_000))],
    "of-the-last-second": [
      "The duration is the milliseconds of the run's last second alone",
      ofAll((ms) => ms % 1_000),
    ],
    "near-1-ms-off": [
      "The duration is a millisecond longer, by rounding",
      onDuration((ms) => ms + 1),
    ],
    "near-another-clock": [
      "The end is stamped by a machine whose clock is 0.4 s behind",
      jobs(done, timeOff("finished", -400)),
    ],
  }),
];

export const JOB_TIME_FAULTS: readonly Fault[] = [
  ...TIME_FAULTS,
  ...RUN_FAULTS,
  ...DURATION_FAULTS,
];
