/** Looks for the job of a submission whose answer was lost, or said that the service failed. */

import { namedJob } from "../../../contract/judges/webhook/attempts.ts";
import { NO_STAMPS } from "../../../contract/timeline/observation.ts";
import { nap } from "../../clock.ts";
import { isJson } from "../../outcome.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, submittedAtMs, takeIn } from "./run.ts";
import type { Found, Unfound } from "./search.ts";
import { search } from "./search.ts";

/** Ours: a list may lag behind, and an output shows a mark at the end only; the last repeats. */
const WAITS_MS = [500, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 240_000];

/** Ours: the list must be asked this close to the deadline, as a job may be listed later on. */
const CLOSE_MS = 1_000;

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
  const others = new Set<string>();
  for (let round = 0; !signal.aborted; round += 1) {
    const waitMs = WAITS_MS[Math.min(round, WAITS_MS.length - 1)] ?? 0;
    // Where nothing can be found there is one question: whether the list shows any that fits.
    const searchMs = isTraceable(run) ? Math.min(clock.nowMs() + waitMs, untilMs) : untilMs;
    // A delivery may have come while the list was searched: nothing is waited for then.
    if (delivered(run) === null) await waitOrDelivery(parts, run, searchMs);
    if (signal.aborted) break;
    // One search begins when the time is over: a job may be listed while an earlier one goes on.
    const isLast = clock.nowMs() >= untilMs;
    const found = delivered(run) ?? (await search(parts, run, { lostAtMs, untilMs, others }));
    if ("jobId" in found) return adopt(parts, run, found);
    last = later(last, found);
    if (isLast) break;
  }
  return isClose(last, untilMs) ? last : { ...last, mayBeListed: true };
}

/** An answer that the pace had no room for says nothing; one that failed takes nothing back. */
function later(last: Unfound, found: Unfound): Unfound {
  if (found.list === null) return last;
  if (isJson(found.list)) return found;
  return { list: found.list, mayBeListed: last.mayBeListed };
}

function isClose({ list }: Unfound, untilMs: number): boolean {
  return list !== null && list.sentAtMs >= untilMs - CLOSE_MS;
}

function delivered(run: Run): Found | null {
  const jobId = run.deliveries.map(namedJob).find((id) => id !== null) ?? null;
  return jobId === null ? null : { jobId, how: "webhook" };
}

async function adopt(parts: Parts, run: Run, { jobId, how }: Found): Promise<"found"> {
  run.jobId = jobId;
  await parts.journal.accept(run.intent.runId, jobId, run.submission).catch(() => {});
  const poll = { sentAtMs: submittedAtMs(run), receivedAtMs: parts.clock.nowMs() };
  takeIn(parts, run, { kind: "accepted", ...poll, state: "queued", stamps: NO_STAMPS });
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
