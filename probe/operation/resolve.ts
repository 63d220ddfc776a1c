/** Looks for the job of a submission whose answer was lost, until its deadline. */

import { decodeJobList } from "../../contract/decode/job-list.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import { namedJob } from "../../contract/judges/webhook/deliveries.ts";
import { sleepUntil } from "../clock.ts";
import type { Resolution } from "../events.ts";
import { findSubmission } from "../reconcile.ts";
import { NO_STAMPS } from "../tracker/observation.ts";
import type { Parts, Run } from "./run.ts";
import { deadlineAtMs, factsOf, submittedAtMs, takeIn } from "./run.ts";

/** Ours: a list may lag behind; a delivery ends each of the waits. */
const WAITS_MS = [500, 2_000, 5_000, 15_000, 30_000];

/** Ours: how long the list may be waited for when there is no time left. */
const LIST_WAIT_MS = 5_000;

/** Submissions that are being looked for, by worker. */
const unresolved = new WeakMap<Parts["journal"], Map<string, number>>();

/** True when the job was found, and is the run's from now on. */
export async function resolve(parts: Parts, run: Run): Promise<boolean> {
  const { workerId } = run.intent;
  const rivals = unresolved.get(parts.journal) ?? new Map<string, number>();
  unresolved.set(parts.journal, rivals);
  rivals.set(workerId, (rivals.get(workerId) ?? 0) + 1);
  try {
    return await search(parts, run, () => (rivals.get(workerId) ?? 0) > 1);
  } finally {
    rivals.set(workerId, (rivals.get(workerId) ?? 1) - 1);
  }
}

async function search(parts: Parts, run: Run, hasRivals: () => boolean): Promise<boolean> {
  const { clock, signal, emit } = parts;
  const lostAtMs = clock.nowMs();
  for (const waitMs of WAITS_MS) {
    await waitOrDelivery(parts, run, Math.min(clock.nowMs() + waitMs, deadlineAtMs(run)));
    if (signal.aborted) return false;
    const found = delivered(run) ?? (await listed(parts, run, lostAtMs, hasRivals()));
    if (found !== null) return adopt(parts, run, found);
    if (clock.nowMs() >= deadlineAtMs(run)) break;
  }
  await waitOrDelivery(parts, run, deadlineAtMs(run));
  const late = delivered(run);
  if (late !== null) return adopt(parts, run, late);
  if (!signal.aborted) emit({ type: "resolved", run: factsOf(run), how: "unresolved" });
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

async function listed(
  parts: Parts,
  run: Run,
  lostAtMs: number,
  hasRivals: boolean,
): Promise<Found | null> {
  const { client, clock, journal, knowledge, signal } = parts;
  // A submission of an earlier process is looked for even when its deadline passed meanwhile.
  const byMs = Math.max(deadlineAtMs(run), clock.nowMs() + LIST_WAIT_MS);
  const answer = await client.send({ route: "jobs" }, byMs, signal);
  const list = answer !== null && isSuccess(answer) ? decodeJobList(jsonBody(answer)) : null;
  if (list === null) return null;
  const { workerId, mark } = run.intent;
  const lost = { workerId, mark, sentAtMs: submittedAtMs(run), lostAtMs };
  const offset = knowledge.offset(clock.nowMs());
  const isKnown = (jobId: string) => journal.knowsJob(jobId);
  return findSubmission(list, lost, { isKnown, offset, hasRivals });
}

async function adopt(parts: Parts, run: Run, { jobId, how }: Found): Promise<boolean> {
  run.jobId = jobId;
  await parts.journal.accept(run.intent.runId, jobId, run.submission).catch(() => {});
  const look = { sentAtMs: submittedAtMs(run), receivedAtMs: parts.clock.nowMs() };
  takeIn(parts, run, { kind: "accepted", ...look, state: "queued", stamps: NO_STAMPS });
  parts.emit({ type: "resolved", run: factsOf(run), how });
  return true;
}

async function waitOrDelivery(parts: Parts, run: Run, untilMs: number): Promise<void> {
  if (run.deliveries.length > 0) return;
  const woken = new AbortController();
  run.wake = () => woken.abort();
  await sleepUntil(parts.clock, untilMs, AbortSignal.any([parts.signal, woken.signal]));
  run.wake = () => {};
}
