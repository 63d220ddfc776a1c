/**
 * What is left to see of a run after its verdict: a job that was lost or is late, and what it cost;
 * then its webhook. The journal remembers until when, so that a restart goes on with it.
 */

import { decodeJob } from "../../../contract/decode/job.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../../contract/requests/exchange.ts";
import { endOf } from "../../../contract/timeline/track.ts";
import type { Settled } from "../../events.ts";
import { countFound, takeCostOf } from "../costs/cost.ts";
import { watchDeliveries, webhookWatchMs } from "../webhooks/webhook-watch.ts";
import { takeShown } from "./follow.ts";
import { reportTrack } from "./report-track.ts";
import { isTraceable, resolve, waitOrDelivery } from "./resolve.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf } from "./run.ts";

/** Ours: as long as a webhook with all its retries may come, and then some. Spec §6. */
const LATE_MS = 900_000;

/** Until when there is something to see of a run; null when there is nothing. */
export function aftermathUntilMs(
  parts: Parts,
  run: Run,
  { end, settledAtMs }: Settled,
  mayCost: boolean,
): number | null {
  if (end === null) return mayCost ? parts.clock.nowMs() + LATE_MS : null;
  return run.intent.token === null ? null : settledAtMs + webhookWatchMs(parts);
}

/** Ours: a job that is late is polled seldom, and ever more so. */
const LATE_POLL_MS = 15_000;
const LATE_POLL_MS_MAX = 240_000;
const LATE_POLL_FACTOR = 2;

export async function seeOut(
  parts: Parts,
  run: Run,
  settled: Settled,
  untilMs: number,
): Promise<void> {
  const endKnownAtMs =
    settled.end === null ? await lateEnd(parts, run, untilMs) : settled.settledAtMs;
  if (endKnownAtMs !== null && run.intent.token !== null) {
    await watchDeliveries(parts, run, endKnownAtMs);
  }
  if (parts.signal.aborted) return;
  if (run.jobId === null) {
    parts.emit({ type: "resolved", run: factsOf(run), how: "unresolved" });
  }
  await parts.journal.finish(run.intent.runId).catch(() => {});
}

/** When the end came to be known after all; null when it did not. */
async function lateEnd(parts: Parts, run: Run, untilMs: number): Promise<number | null> {
  if (run.jobId === null) {
    if (!isTraceable(run) || (await resolve(parts, run, untilMs)) !== "found") return null;
    countFound(parts, run);
  }
  const { clock, client, signal } = parts;
  let waitMs = LATE_POLL_MS;
  for (let polls = 0; !signal.aborted && clock.nowMs() < untilMs; polls += 1) {
    // The first poll is at once: a job that was just found may have ended long ago.
    if (polls > 0) await waitOrDelivery(parts, run, Math.min(untilMs, clock.nowMs() + waitMs));
    if (signal.aborted) return null;
    waitMs = Math.min(LATE_POLL_MS_MAX, waitMs * LATE_POLL_FACTOR);
    const { runId } = run.intent;
    const request = { route: "job", parameter: run.jobId ?? "", runId } as const;
    const poll = await client.send(request, untilMs, signal);
    if (poll !== null && isSuccess(poll) && takeShown(parts, run, poll)) {
      if (endOf(run.track) !== null) return ended(parts, run, poll);
    }
  }
  return null;
}

/** The verdict stands; what the job has cost is put right. */
function ended(parts: Parts, run: Run, poll: Exchange): number {
  takeCostOf(parts, run, poll);
  reportTrack(parts, run, decodeJob(jsonBody(poll)).variant ?? "A");
  return poll.receivedAtMs;
}
