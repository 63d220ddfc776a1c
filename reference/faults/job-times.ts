/**
 * Faults of a job's timestamps and of its duration, in completed jobs only. A start that is told
 * too late makes the wait in the queue longer: hence the companion.
 */

import { type Fields, fieldsIn } from "./answers.ts";
import { type Fault, fault, nearMiss } from "./fault.ts";
import { completed, everyTime, jobs, shifted, withTimes } from "./job-views.ts";

const TIME_FAULTS: readonly Fault[] = [
  fault(
    "job.timestamps",
    "no-milliseconds",
    "Times have whole seconds only",
    jobs(
      completed,
      everyTime((text) => `${text.slice(0, 19)}Z`),
    ),
    { variants: ["B"] },
  ),
  fault(
    "job.timestamps",
    "no-zone",
    "Times have no zone",
    jobs(
      completed,
      everyTime((text) => text.slice(0, 23)),
    ),
  ),
  fault(
    "job.timestamps",
    "local-time",
    "Times are in a zone two hours east",
    jobs(
      completed,
      everyTime((text) => `${shifted(text, 7_200_000).slice(0, 23)}+02:00`),
    ),
  ),
  fault(
    "job.timestamps",
    "not-iso",
    "Times are told in words",
    jobs(
      completed,
      everyTime((text) => new Date(text).toUTCString()),
    ),
  ),
  fault(
    "job.timestamps",
    "out-of-order",
    "A job was submitted one second after it ended",
    jobs(completed, (body) =>
      withTimes(body, (times, { submitted, finished }) => ({
        ...times,
        [submitted]: shifted(times[finished], 1_000),
      })),
    ),
  ),
  fault(
    "job.timestamps",
    "in-the-future",
    "1 job in 3 ran a minute from now",
    jobs(completed, (body) => withTimes(body, aMinuteLater), 3),
    { companions: ["load.latency"] },
  ),
  nearMiss(
    "job.timestamps",
    "zero-offset",
    "UTC is told as +00:00",
    jobs(
      completed,
      everyTime((text) => text.replace(/Z$/, "+00:00")),
    ),
  ),
  nearMiss(
    "job.timestamps",
    "microseconds",
    "Times have microseconds",
    jobs(
      completed,
      everyTime((text) => text.replace(/(\.\d{3})/, "$1000")),
    ),
  ),
];

/** Start and end move together, so that the duration stays what it was. */
function aMinuteLater(
  times: Fields,
  { started, finished }: { started: string | null; finished: string },
): Fields {
  const names = started === null ? [finished] : [started, finished];
  const later = names.map((name) => [name, shifted(times[name], 60_000)]);
  return { ...times, ...Object.fromEntries(later) };
}

type DurationBend = (durationMs: number) => unknown;

const onDuration = (bend: DurationBend, oneOf = 1) =>
  jobs(
    completed,
    (body) => {
      const times = "timestamps" in body ? fieldsIn(body, "timestamps") : body;
      if (typeof times.duration_ms !== "number") return body;
      const changed = { ...times, duration_ms: bend(times.duration_ms) };
      return "timestamps" in body ? { ...body, timestamps: changed } : changed;
    },
    oneOf,
  );

const DURATION_FAULTS: readonly Fault[] = [
  fault(
    "job.duration",
    "fractional",
    "The duration is no whole number",
    onDuration((ms) => ms + 0.5),
  ),
  fault("job.duration", "as-text", "The duration is a text", onDuration(String)),
  fault(
    "job.duration",
    "negative",
    "The duration is below zero",
    onDuration((ms) => -ms),
  ),
  fault(
    "job.duration",
    "a-second-too-long",
    "The duration is a second longer than the run",
    onDuration((ms) => ms + 1_000),
  ),
  fault(
    "job.duration",
    "8-percent-too-long",
    "The duration is 8 % and 5 ms longer than the run",
    onDuration((ms) => Math.round(ms * 1.08) + 5),
    { variants: ["B"] },
  ),
  fault(
    "job.duration",
    "once-in-a-while",
    "1 job in 6 has a duration a second too long",
    onDuration((ms) => ms + 1_000, 6),
  ),
  fault(
    "job.duration",
    "in-seconds",
    "The duration is in seconds",
    onDuration((ms) => Math.round(ms / 1000)),
    { variants: ["B"] },
  ),
  nearMiss(
    "job.duration",
    "1-ms-off",
    "The duration is a millisecond longer, by rounding",
    onDuration((ms) => ms + 1),
  ),
];

export const JOB_TIME_FAULTS: readonly Fault[] = [...TIME_FAULTS, ...DURATION_FAULTS];
