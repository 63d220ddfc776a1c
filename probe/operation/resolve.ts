/** Looks for the job of a submission whose answer was lost, or said that the service failed. */

import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import { namedJob } from "../../contract/judges/webhook/deliveries.ts";
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

/** True when the job was found by that time, and is the run's from now on. */
export async function resolve(parts: Parts, run: Run, untilMs: number): Promise<boolean> {
  const { clock, signal } = parts;
  const { mark, token } = run.intent;
  // Nothing could show that a job is the submission's: the list has no use.
  if (mark === null && token === null) return false;
  const lostAtMs = run.submission?.receivedAtMs ?? clock.nowMs();
  for (let round = 0; !signal.aborted; round += 1) {
    const waitMs = WAITS_MS[Math.min(round, WAITS_MS.length - 1)] ?? 0;
    // A delivery may have come while the list was searched: nothing is waited for then.
    if (delivered(run) === null) {
      await waitOrDelivery(parts, run, Math.min(clock.nowMs() + waitMs, untilMs));
    }
    if (signal.aborted) return false;
    const found = delivered(run) ?? (await searched(parts, run, lostAtMs, untilMs));
    if (found !== null) return adopt(parts, run, found);
    if (clock.nowMs() >= untilMs) return false;
  }
  return false;
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
): Promise<Found | null> {
  const { client, clock, journal, knowledge, signal } = parts;
  const { workerId, mark, token } = run.intent;
  // A submission of an earlier process is looked for even when its deadline passed meanwhile.
  const byMs = () => Math.max(untilMs, clock.nowMs() + ANSWER_WAIT_MS);
  const answer = await client.send({ route: "jobs" }, byMs(), signal);
  const list = isAnswered(answer) ? decodeJobList(jsonBody(answer)) : null;
  if (list === null) return null;
  const lost: LostSubmission = { workerId, mark, token, sentAtMs: submittedAtMs(run), lostAtMs };
  const isKnown = (jobId: string) => journal.knowsJob(jobId);
  const around: Surroundings = { isKnown, offset: knowledge.offset(clock.nowMs()) };
  const found = findSubmission(list, lost, around);
  if (found !== null) return found;
  for (const jobId of candidatesIn(list, lost, around)) {
    const request = { route: "job", parameter: jobId } as const;
    const shown = await client.send(request, byMs(), signal);
    const how = isAnswered(shown) ? evidenceIn(shown.body, lost) : null;
    if (how !== null) return { jobId, how };
  }
  return null;
}

function isAnswered(answer: Exchange | null): answer is Exchange {
  return answer !== null && isSuccess(answer);
}

async function adopt(parts: Parts, run: Run, { jobId, how }: Found): Promise<boolean> {
  run.jobId = jobId;
  await parts.journal.accept(run.intent.runId, jobId, run.submission).catch(() => {});
  const look = { sentAtMs: submittedAtMs(run), receivedAtMs: parts.clock.nowMs() };
  takeIn(parts, run, { kind: "accepted", ...look, state: "queued", stamps: NO_STAMPS });
  parts.emit({ type: "resolved", run: factsOf(run), how });
  return true;
}

/** Waits until that time, or until a delivery comes that was not there yet. */
export async function waitOrDelivery(parts: Parts, run: Run, untilMs: number): Promise<void> {
  const { over, wake } = nap(parts.clock, untilMs, parts.signal);
  run.wake = wake;
  await over;
  run.wake = () => {};
}
