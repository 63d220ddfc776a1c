/** Looks for the job of a submission whose answer was lost, or said that the service failed. */

import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import { namedJob } from "../../contract/judges/webhook/deliveries.ts";
import type { ProbeRequest } from "../client/client.ts";
import { nap } from "../clock.ts";
import type { Resolution } from "../events.ts";
import type { LostSubmission, Surroundings } from "../reconcile.ts";
import { candidatesIn, evidenceIn, findSubmission } from "../reconcile.ts";
import { NO_STAMPS } from "../tracker/observation.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, submittedAtMs, takeIn } from "./run.ts";

/** Ours: a list may lag behind, and an output shows a mark at the end only; the last repeats. */
const WAITS_MS = [500, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 240_000];

/** Ours: how long an answer may be waited for when there is no time left. */
const ANSWER_WAIT_MS = 5_000;

/** What the list said last of a submission whose job it did not show. */
export interface Unfound {
  /** The last answer of the list; null when it was not asked. */
  list: Exchange | null;
  /** Whether a job of the list may be the submission's, and nothing can show that it is. */
  mayBeListed: boolean;
}

/** Whether anything can show that a job is the submission's. */
export function isTraceable({ intent }: Run): boolean {
  return intent.mark !== null || intent.token !== null;
}

/** "found" when the job was found by that time, and is the run's from now on. */
export async function resolve(parts: Parts, run: Run, untilMs: number): Promise<"found" | Unfound> {
  const { clock, signal } = parts;
  const lostAtMs = run.submission?.receivedAtMs ?? clock.nowMs();
  let last: Unfound = { list: null, mayBeListed: false };
  // What an earlier process may not have sent is held against nobody: there is nothing to ask.
  if (!isTraceable(run) && run.resumed) return last;
  for (let round = 0; !signal.aborted; round += 1) {
    const waitMs = WAITS_MS[Math.min(round, WAITS_MS.length - 1)] ?? 0;
    // Where nothing can be found there is one question: whether the list shows any that fits.
    const searchMs = isTraceable(run) ? Math.min(clock.nowMs() + waitMs, untilMs) : untilMs;
    // A delivery may have come while the list was searched: nothing is waited for then.
    if (delivered(run) === null) await waitOrDelivery(parts, run, searchMs);
    if (signal.aborted) break;
    const found = delivered(run) ?? (await searched(parts, run, lostAtMs, untilMs));
    if ("jobId" in found) return adopt(parts, run, found);
    // An answer that the pace had no room for says nothing: the one before it stands.
    if (found.list !== null) last = found;
    if (clock.nowMs() >= untilMs) break;
  }
  return last;
}

interface Found {
  jobId: string;
  how: Resolution;
}

function delivered(run: Run): Found | null {
  const jobId = run.deliveries.map(namedJob).find((id) => id !== null) ?? null;
  return jobId === null ? null : { jobId, how: "webhook" };
}

async function searched(
  parts: Parts,
  run: Run,
  lostAtMs: number,
  untilMs: number,
): Promise<Found | Unfound> {
  const { client, clock, journal, knowledge, signal } = parts;
  const { workerId, mark, token } = run.intent;
  // A submission of an earlier process is looked for even when its deadline passed meanwhile.
  const ask = (request: ProbeRequest) => {
    const nowMs = clock.nowMs();
    const byMs = Math.max(untilMs, nowMs + ANSWER_WAIT_MS);
    return client.send({ ...request, timeoutMs: byMs - nowMs }, byMs, signal);
  };
  const answer = await ask({ route: "jobs" });
  const list = isAnswered(answer) ? decodeJobList(jsonBody(answer)) : null;
  if (list === null) return { list: answer, mayBeListed: false };
  const lost: LostSubmission = { workerId, mark, token, sentAtMs: submittedAtMs(run), lostAtMs };
  const isKnown = (jobId: string) => journal.knowsJob(jobId);
  const around: Surroundings = { isKnown, offset: knowledge.offset(clock.nowMs()) };
  const found = findSubmission(list, lost, around);
  if (found !== null) return found;
  const candidates = candidatesIn(list, lost, around);
  if (!isTraceable(run)) return { list: answer, mayBeListed: candidates.length > 0 };
  for (const jobId of candidates) {
    const shown = await ask({ route: "job", parameter: jobId });
    const how = isAnswered(shown) ? evidenceIn(shown.body, lost) : null;
    if (how !== null) return { jobId, how };
  }
  return { list: answer, mayBeListed: false };
}

function isAnswered(answer: Exchange | null): answer is Exchange {
  return answer !== null && isSuccess(answer);
}

async function adopt(parts: Parts, run: Run, { jobId, how }: Found): Promise<"found"> {
  run.jobId = jobId;
  await parts.journal.accept(run.intent.runId, jobId, run.submission).catch(() => {});
  const look = { sentAtMs: submittedAtMs(run), receivedAtMs: parts.clock.nowMs() };
  takeIn(parts, run, { kind: "accepted", ...look, state: "queued", stamps: NO_STAMPS });
  parts.emit({ type: "resolved", run: factsOf(run), how });
  return "found";
}

/** Waits until that time, or until a delivery comes that was not there yet. */
export async function waitOrDelivery(parts: Parts, run: Run, untilMs: number): Promise<void> {
  const { over, wake } = nap(parts.clock, untilMs, parts.signal);
  run.wake = wake;
  await over;
  run.wake = () => {};
}
