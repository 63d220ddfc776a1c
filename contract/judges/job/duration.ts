/**
 * Judges that the stated duration is the true one, by three measures that never mix two clocks:
 * the service's own times, and what was seen from outside on the observer's. Spec §2.5.
 */

import type { Seen } from "../../judging/claim.ts";
import { MACHINES_DIFFER_MS, precisionMs } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { offsetAtMostMs } from "./clock-offset.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { firstEnd, isBefore, pollsToEnd, statePolls } from "./reading.ts";
import { aspectFaults, count, judgeSampled } from "./sample.ts";
import { ROUNDING_MS, seenSlackMs } from "./seen-times.ts";
import { hasSoundTimes } from "./timestamps.ts";

export function judgeDuration(readings: readonly JobReading[]): Finding {
  const offset = offsetAtMostMs(readings);
  const ended = readings.flatMap((reading) => endedRun(reading) ?? []);
  const shownLonger = ended.filter((run) => overshownMs(run) > 0).length;
  const faults = ended.flatMap((run): Seen[] => {
    const what = statedFault(run, offset) ?? tooLong(run);
    return what === null ? [...changed(run)] : [{ what, exchanges: [run.end.exchange] }];
  });
  return judgeSampled({
    promise: "job.duration",
    faults: [...aspectFaults(readings, "job.duration"), ...faults],
    samples: ended.length,
    kept:
      `${count(ended.length, "duration")} in agreement with the observed times` +
      (shownLonger === 0 ? "" : `; ${shownLonger} shown running for longer, as a view may lag`),
    without: "no ended job had a duration",
  });
}

interface EndedRun {
  reading: JobReading;
  end: StatePoll;
  durationMs: number;
}

function endedRun(reading: JobReading): EndedRun | null {
  const end = firstEnd(reading);
  if (end === null || end.job.durationMs === null) return null;
  return { reading, end, durationMs: end.job.durationMs };
}

/** A duration that is told stays what it is, rounding apart. */
function changed({ reading, end, durationMs }: EndedRun): readonly Seen[] {
  const later = statePolls(reading).find(
    ({ exchange, job }) =>
      isBefore(end.exchange, exchange) &&
      job.state === end.job.state &&
      (job.durationMs === null || Math.abs(job.durationMs - durationMs) > ROUNDING_MS),
  );
  if (later === undefined) return [];
  const what = `duration_ms of an ended job went from ${durationMs} to ${later.job.durationMs}`;
  return [{ what, exchanges: [end.exchange, later.exchange] }];
}

/**
 * Against the service's own times; left out where job.timestamps finds fault with these. Another
 * clock may have measured the duration, or the limit that ended the run be stated as it: it may
 * differ by as much as what is seen from outside.
 */
function statedFault({ end, durationMs }: EndedRun, offset: number | null): string | null {
  const { createdAt, startedAt, finishedAt } = end.job;
  const from = startedAt ?? createdAt;
  if (from === null || finishedAt === null || !hasSoundTimes(end, offset)) return null;
  const spanMs = Math.round(finishedAt.ms - from.ms);
  const slackMs = Math.max(seenSlackMs(spanMs), precisionMs(from), precisionMs(finishedAt));
  // Whoever takes a submission has another clock than who runs the job.
  const apartMs = startedAt === null ? MACHINES_DIFFER_MS : 0;
  if (durationMs > spanMs + slackMs + apartMs) {
    const what = startedAt === null ? "submission" : "start";
    return `duration_ms is ${durationMs}; ${what} and end lie ${spanMs} ms apart`;
  }
  if (startedAt === null || durationMs >= spanMs - slackMs) return null;
  return `duration_ms is ${durationMs}; start and end lie ${spanMs} ms apart`;
}

/**
 * The run lies between the submission and the first poll of the ended job. A poll that shows the
 * job waiting tells of no later start: it may have been at a view that lags.
 */
function tooLong({ reading, end, durationMs }: EndedRun): string | null {
  const spanMs = end.exchange.receivedAtMs - reading.history.submission.sentAtMs;
  if (durationMs <= spanMs + seenSlackMs(spanMs)) return null;
  return `duration_ms is ${durationMs}; by polls the job took at most ${Math.round(spanMs)} ms`;
}

/**
 * How much longer it was seen running than it ran; 0: it was not. No fault: a view may lag, a
 * result be stored, or the duration be that of the work alone.
 */
function overshownMs({ reading, durationMs }: EndedRun): number {
  const running = pollsToEnd(reading).filter((poll) => poll.job.state === "running");
  const [first, last] = [running[0], running.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const spanMs = last.exchange.sentAtMs - first.exchange.receivedAtMs;
  return Math.max(0, spanMs - seenSlackMs(spanMs) - durationMs);
}
