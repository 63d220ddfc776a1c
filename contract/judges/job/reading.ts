/** A job's history with every answer decoded once, as all judges of jobs read it. */

import type { Accepted } from "../../decode/accepted.ts";
import { decodeAccepted } from "../../decode/accepted.ts";
import type { Decoded } from "../../decode/decoded.ts";
import { decodeJob } from "../../decode/job.ts";
import type { Job, JobProblem } from "../../decode/job-types.ts";
import type { Exchange } from "../../exchange.ts";
import { isSuccess, jsonBody } from "../../exchange.ts";
import type { JobHistory } from "../../job-history.ts";
import type { State, Variant } from "../../states.ts";
import { isTerminal } from "../../states.ts";

/** Ours: views of replicas and caches that lag behind by more are a fault. */
export const VIEW_LAG_MS = 2_000;

/** One answer that showed the job, or should have: 2xx, whatever its body. */
export interface Look {
  exchange: Exchange;
  job: Job | null;
  problems: readonly JobProblem[];
}

export interface JobReading {
  history: JobHistory;
  /** null when the submission was not accepted. */
  accepted: Decoded<Accepted> | null;
  /** In the order of sending. Disturbed and refused polls are not among them. */
  looks: readonly Look[];
}

export function readHistories(histories: readonly JobHistory[]): readonly JobReading[] {
  return histories.map((history) => ({
    history,
    accepted: isSuccess(history.submission) ? decodeAccepted(jsonBody(history.submission)) : null,
    looks: history.polls.filter(isSuccess).map(lookAt),
  }));
}

function lookAt(exchange: Exchange): Look {
  const { value, problems } = decodeJob(jsonBody(exchange));
  return { exchange, job: value, problems };
}

export interface StateLook extends Look {
  job: Job & { state: State };
}

/** The looks whose status text the specification knows. */
export function stateLooks(reading: JobReading): readonly StateLook[] {
  return reading.looks.filter(
    (look): look is StateLook => look.job !== null && look.job.state !== null,
  );
}

/** The first look that saw the job ended; null when none did. */
export function firstEnd(reading: JobReading): StateLook | null {
  return stateLooks(reading).find((look) => isTerminal(look.job.state)) ?? null;
}

/** The looks up to the first that saw the job ended, which is the last of them. */
export function looksToEnd(reading: JobReading): readonly StateLook[] {
  const looks = stateLooks(reading);
  const end = looks.findIndex((look) => isTerminal(look.job.state));
  return end === -1 ? looks : looks.slice(0, end + 1);
}

/** The variant of most job objects; the first one's when they are even, null without any. */
export function runVariant(readings: readonly JobReading[]): Variant | null {
  const variants = readings
    .flatMap((each) => each.looks)
    .flatMap((look) => look.job?.variant ?? []);
  const ofB = variants.filter((variant) => variant === "B").length;
  if (ofB * 2 === variants.length) return variants[0] ?? null;
  return ofB * 2 > variants.length ? "B" : "A";
}

/**
 * Whether the service had answered the one before it was asked the other: overlapping answers can
 * arrive in any order, and say nothing of what came first.
 */
export function isBefore(earlier: Exchange, later: Exchange): boolean {
  return earlier.receivedAtMs <= later.sentAtMs;
}
