/** webhook.not-before-terminal: a webhook comes only once its job has ended. Spec §6. */

import { jobIn } from "../../decode/job.ts";
import type { Exchange } from "../../exchange.ts";
import { isSuccess } from "../../exchange.ts";
import type { Claim } from "../../judging/claim.ts";
import { anything, anythingIf, countedClaim } from "../../judging/claim.ts";
import { isTerminal } from "../../states.ts";
import { MACHINES_DIFFER_MS } from "../../timestamps.ts";
import { offsetAtMostMs, readHistories, VIEW_LAG_MS } from "../job/reading.ts";
import { count } from "../job/sample.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { endedJob, historyOf } from "./case.ts";
import { nameOf, seenOf } from "./witness.ts";

/**
 * A poll that was sent after the arrival and shows the job under way is the proof, unless the job
 * tells later that it had ended before that look: then the look showed a view that lags behind. A
 * job that dates no end, or was not seen ended, may have been shown by such a view for as long as
 * views lag: it is no sample then, nor is one where the service's machines agree on no time. An end
 * that is dated later than the arrival rests on clocks alone, so that it only withholds `kept`.
 */
export function notBeforeTerminalClaim(run: WebhookRun): Claim {
  const polled = run.cases.filter(
    (each) => each.deliveries.length > 0 && each.looks.some(isSuccess),
  );
  const offsetMs = offsetAtMostMs(readHistories(polled.map(historyOf)));
  const open = polled.filter((each) => each.looks.some(showsOpenJob));
  const undated = open.filter((each) => isUndated(each, offsetMs));
  const early = open.filter((each) => !undated.includes(each) && !isOutOfDate(each, offsetMs));
  const late = polled.filter((each) => {
    // Where the view lags nothing but the dates tells: then clocks are given no room.
    const roomMs = open.includes(each) ? 0 : MACHINES_DIFFER_MS;
    return !early.includes(each) && offsetMs !== null && isDatedLater(each, offsetMs, roomMs);
  });
  const rest = polled.filter((each) => !early.includes(each) && !late.includes(each));
  const sound = rest.filter((each) => !undated.includes(each));
  const ended = sound.filter((each) => endedJob(each) !== null);
  const lagging = open.filter((each) => rest.includes(each)).length;
  return countedClaim({
    promise: "webhook.not-before-terminal",
    faults: [
      ...early.map((each) => ({
        ...faultOf(each, "came before the job had ended"),
        above: anythingIf(mayBeClocks(each, offsetMs), "clocks", CLOCKS),
      })),
      ...late.map((each) => ({
        ...faultOf(each, "came before its end, by the service's clock"),
        above: [anything("clocks", "only clocks say so")],
      })),
    ],
    open: (ended.length > 0 ? sound : rest)
      .filter((each) => !ended.includes(each))
      .map(({ jobId }) => ({ what: `${jobId} was delivered, but when it ended is unknown` })),
    good: ended.length,
    of: "jobs",
    kept:
      `${count(ended.length, "job")} had ended when their webhook arrived` +
      (lagging === 0 ? "" : `; ${lagging} were shown as not ended by a stale view`),
    without: "no delivered job could be polled",
  });
}

const CLOCKS = "a stale view or clocks that differ may explain it";

function faultOf(each: WebhookCase, did: string) {
  const deliveries = each.deliveries.slice(0, 1);
  const [name] = deliveries.map((delivery) => nameOf({ each, delivery }));
  const exchanges = each.looks.filter(showsOpenJob);
  return { what: `${name} ${did}`, ...seenOf(each, deliveries), exchanges };
}

function showsOpenJob(poll: Exchange): boolean {
  const state = jobIn(poll)?.state;
  return state != null && !isTerminal(state);
}

/** Whether by its own time it had ended before the last poll that showed it under way. */
function isOutOfDate(each: WebhookCase, offsetMs: number | null): boolean {
  const finished = endedJob(each)?.finishedAt;
  const shown = each.looks.findLast(showsOpenJob);
  if (finished == null || shown === undefined || offsetMs === null) return false;
  return finished.ms - offsetMs <= shown.sentAtMs;
}

/** A job that had ended by the arrival is dated no later than that, but for its machine's clock. */
function mayBeClocks(each: WebhookCase, offsetMs: number | null): boolean {
  const isDated = endedJob(each)?.finishedAt != null && offsetMs !== null;
  return isDated && !isDatedLater(each, offsetMs, MACHINES_DIFFER_MS);
}

/** A job without a time of its end to go by, last shown under way while a view may lag. */
function isUndated(each: WebhookCase, offsetMs: number | null): boolean {
  const shownMs = each.looks.findLast(showsOpenJob)?.sentAtMs ?? 0;
  const arrivedAtMs = each.deliveries[0]?.arrivedAtMs ?? 0;
  const isTold = endedJob(each)?.finishedAt != null && offsetMs !== null;
  return !isTold && shownMs <= arrivedAtMs + VIEW_LAG_MS;
}

function isDatedLater(each: WebhookCase, offsetMs: number, roomMs: number): boolean {
  const finished = endedJob(each)?.finishedAt;
  const arrivedAtMs = each.deliveries[0]?.arrivedAtMs;
  if (finished == null || arrivedAtMs === undefined) return false;
  return finished.ms - offsetMs > arrivedAtMs + roomMs;
}
