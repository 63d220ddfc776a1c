/** webhook.not-before-terminal: a webhook comes only once its job has ended. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { anything, anythingIf, countedClaim } from "../../judging/claim.ts";
import { countText } from "../../numbers/figures.ts";
import { isSuccess } from "../../requests/exchange.ts";
import { MACHINES_DIFFER_MS } from "../../time/timestamps.ts";
import { offsetAtMostMs, readHistories, VIEW_LAG_MS } from "../job/reading.ts";
import { historyOf } from "./case.ts";
import { shownOnceAnswered, showsOpenJob } from "./shown-once-answered.ts";
import type { WatchedJob, WebhookTimeline } from "./timeline.ts";
import { endedAtMs, nameOf } from "./timeline.ts";
import { seenOf } from "./witness.ts";

/**
 * `undated`: a view that lags may have shown it; `unseen`: no poll showed its end; `held`: it was
 * shown as not ended for as long as its receiver held its answer back.
 */
type Standing = "early" | "held" | "late" | "undated" | "ended" | "unseen";

/**
 * A poll that was sent after the arrival and shows the job under way is the proof, unless the job
 * tells later that it had ended before that look: then the look showed a view that lags behind. A
 * job that dates no end, or was not seen ended, may have been shown by such a view for as long as
 * views lag: it is no sample then, nor is one where the service's machines agree on no time. An end
 * that is dated later than the arrival rests on clocks alone, so that it only withholds `kept`.
 */
export function notBeforeTerminalClaim(run: WebhookTimeline): Claim {
  const polled = run.cases.filter(
    (each) => each.deliveries.length > 0 && each.looks.some(isSuccess),
  );
  const offsetMs = offsetAtMostMs(readHistories(polled.map(historyOf)));
  const untilAnswered = shownOnceAnswered(polled);
  const standing = (each: WatchedJob): Standing =>
    untilAnswered.jobs.includes(each) ? "held" : standingOf(each, offsetMs);
  const of = (...standings: readonly Standing[]) =>
    polled.filter((each) => standings.includes(standing(each)));
  const ended = of("ended");
  const lagging = of("undated", "ended", "unseen").filter((each) => shownOpenMs(each) !== null);
  return countedClaim({
    promise: "webhook.not-before-terminal",
    faults: [
      ...of("early").map((each) => ({
        ...faultOf(each, "came before the job had ended"),
        above: anythingIf(mayBeClocks(each, offsetMs), "clocks", CLOCKS),
      })),
      ...of("held").map((each) => faultOf(each, untilAnswered.did)),
      ...of("late").map((each) => ({
        ...faultOf(each, "came before its end, by the service's clock"),
        above: [anything("clocks", "only clocks say so")],
      })),
    ],
    open: (ended.length > 0 ? of("unseen") : of("unseen", "undated")).map(({ jobId }) => ({
      what: `${jobId} was delivered, but when it ended is unknown`,
    })),
    good: ended.length,
    of: "jobs",
    kept:
      `${countText(ended.length, "job")} had ended when their webhook arrived` +
      (lagging.length === 0 ? "" : `; ${lagging.length} were shown as not ended by a stale view`),
    without: "no delivered job could be polled",
  });
}

const CLOCKS = "a stale view or clocks that differ may explain it";

function faultOf(each: WatchedJob, did: string) {
  const first = each.attempts.slice(0, 1);
  const exchanges = each.looks.filter(showsOpenJob);
  return { what: `${first.map(nameOf).join()} ${did}`, ...seenOf(each, first), exchanges };
}

/** When the last poll was sent that showed it under way after its webhook; null: none did. */
function shownOpenMs({ looks: polls }: WatchedJob): number | null {
  return polls.findLast(showsOpenJob)?.sentAtMs ?? null;
}

function arrivedAtMs({ deliveries: [first] }: WatchedJob): number {
  return first?.arrivedAtMs ?? 0;
}

function standingOf(each: WatchedJob, offsetMs: number | null): Standing {
  const [endedMs, shownMs] = [endedAtMs(each, offsetMs), shownOpenMs(each)];
  if (shownMs !== null) {
    if (endedMs === null && shownMs <= arrivedAtMs(each) + VIEW_LAG_MS) return "undated";
    if (endedMs === null || endedMs > shownMs) return "early";
  }
  // Where the view lags nothing but the dates tells: then clocks are given no room.
  const roomMs = shownMs === null ? MACHINES_DIFFER_MS : 0;
  if (endedMs !== null && endedMs > arrivedAtMs(each) + roomMs) return "late";
  return each.endedJob === null ? "unseen" : "ended";
}

/** A job that had ended by the arrival is dated no later than that, but for its machine's clock. */
function mayBeClocks(each: WatchedJob, offsetMs: number | null): boolean {
  const endedMs = endedAtMs(each, offsetMs);
  return endedMs !== null && endedMs <= arrivedAtMs(each) + MACHINES_DIFFER_MS;
}
