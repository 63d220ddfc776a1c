/**
 * Judges the cancel requests among what was seen of jobs, each by the state that was seen before
 * it: a load sends them to jobs that were just accepted, that run, and that have ended. Spec §3.2.
 */

import type { Exchange } from "../exchange.ts";
import { isSuccess } from "../exchange.ts";
import { isTerminal } from "../states.ts";
import type { Finding } from "../verdict.ts";
import type { CancelTrial } from "./cancel.ts";
import {
  cancelEffectMs,
  judgeCancelQueued,
  judgeCancelRunning,
  judgeCancelTerminal,
} from "./cancel.ts";
import type { JobReading } from "./job/reading.ts";
import { stateLooks } from "./job/reading.ts";

type Kind = "queued" | "running" | "terminal";

interface Seen {
  kind: Kind;
  trial: CancelTrial;
}

export function judgeCancelsSeen(readings: readonly JobReading[]): readonly Finding[] {
  const seen = readings.flatMap((reading) => seenOf(reading) ?? []);
  const of = (wanted: Kind) => seen.filter(({ kind }) => kind === wanted).map(({ trial }) => trial);
  const queued = of("queued");
  const effectMs = cancelEffectMs(queued);
  const told = { without: "none was cancelled", methodUnknown: false, methodWorks: true, effectMs };
  return [
    judgeCancelQueued(queued, told),
    judgeCancelRunning(of("running"), told),
    judgeCancelTerminal(of("terminal"), told),
  ];
}

/** What a service may answer that has understood the request; 404: it may not know the job yet. */
function isUnderstood({ status }: Exchange): boolean {
  return status >= 200 && status < 500 && ![401, 404, 405, 429].includes(status);
}

/** null where it tells nothing: the job was not seen to its end, or nobody has read the request. */
function seenOf(reading: JobReading): Seen | null {
  const { submission, issuedId, cancelRequests } = reading.history;
  const looks = stateLooks(reading);
  const cancel = cancelRequests.find(isUnderstood);
  const end = looks.at(-1);
  if (cancel === undefined || issuedId === null || end === undefined) return null;
  if (!isTerminal(end.job.state)) return null;
  const after = looks.filter(({ exchange }) => exchange.sentAtMs >= cancel.receivedAtMs);
  const before = looks.findLast(({ exchange }) => exchange.receivedAtMs <= cancel.sentAtMs);
  const state = before?.job.state ?? "queued";
  const kind = isTerminal(state) ? "terminal" : state === "running" ? "running" : "queued";
  // The system may cancel a job that no request has. Spec §3.1.
  const isBySystem = end.job.state === "cancelled" && !isSuccess(cancel) && kind !== "terminal";
  if (isBySystem) return null;
  const trial = {
    jobId: issuedId,
    before: before?.exchange ?? submission,
    cancel,
    submission,
    after: after.map(({ exchange }) => exchange),
  };
  return { kind, trial };
}
