/** Whether a webhook comes only once its job has ended. Spec §6. */

import { decodeJob } from "../../decode/job.ts";
import type { Exchange } from "../../exchange.ts";
import { isSuccess, jsonBody } from "../../exchange.ts";
import type { JobHistory } from "../../job-history.ts";
import { isTerminal } from "../../states.ts";
import { looksAt } from "../../strength.ts";
import { MACHINES_DIFFER_MS } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import { offsetAtMostMs } from "../job/clock-offset.ts";
import { readHistories } from "../job/reading.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { endedJob } from "./case.ts";
import { groundsOf, nameOf } from "./witness.ts";

/**
 * A look that was sent after the arrival and shows the job under way is the proof, unless the job
 * tells later that it had ended before that look: then the look showed a view that lags behind. An
 * end that is dated later than the arrival rests on clocks alone, so that it only withholds `kept`.
 */
export function judgeNotBeforeTerminal(run: WebhookRun): Finding {
  const promise = "webhook.not-before-terminal";
  const looked = run.cases.filter(
    (each) => each.deliveries.length > 0 && each.looks.some(isSuccess),
  );
  if (looked.length === 0) return unobserved(promise, "no delivered job could be looked at");
  const offsetMs = offsetAtMostMs(readHistories(looked.map(historyOf)));
  const open = looked.filter((each) => each.looks.some(showsOpenJob));
  const early = open.filter((each) => !isOutOfDate(each, offsetMs));
  const evidence = { jobs: looked.length, early: early.length };
  if (early.length > 0) {
    const shown = early.flatMap((each) => {
      return each.deliveries.slice(0, 1).map((delivery) => ({ each, delivery }));
    });
    const which = shown.slice(0, 1).map(nameOf).join();
    return broken(
      promise,
      `${early.length} of ${looked.length} jobs were still under way after they had been ` +
        `delivered (${which})`,
      groundsOf(evidence, early, {
        shown: shown.slice(0, 1),
        exchanges: early.flatMap((each) => each.looks.filter(showsOpenJob)),
      }),
    );
  }
  const late = looked.filter((each) => {
    // Where the view lags nothing but the dates tells: then clocks are given no room.
    const roomMs = open.includes(each) ? 0 : MACHINES_DIFFER_MS;
    return offsetMs !== null && isDatedLater(each, offsetMs, roomMs);
  });
  if (late.length > 0) {
    return inconclusive(
      promise,
      `${late.length} of ${looked.length} jobs ended after their webhook, by the service's clock`,
      {
        evidence: { ...evidence, late: late.length },
        exchanges: late.flatMap(({ looks }) => looks),
      },
    );
  }
  if (looked.every((each) => endedJob(each) === null)) {
    return inconclusive(promise, "no delivered job was seen in its end", { evidence });
  }
  const lagging =
    open.length === 0 ? "" : `; ${open.length} were shown under way by a lagging view`;
  const ended = `${looked.length} jobs had ended when their webhook arrived`;
  return kept(promise, ended + lagging, {
    evidence,
    strength: looksAt(looked.length, "jobs"),
  });
}

function showsOpenJob(look: Exchange): boolean {
  const state = isSuccess(look) ? (decodeJob(jsonBody(look)).value?.state ?? null) : null;
  return state !== null && !isTerminal(state);
}

/** Whether by its own time it may have ended before the last look that showed it under way. */
function isOutOfDate(each: WebhookCase, offsetMs: number | null): boolean {
  const finished = endedJob(each)?.finishedAt;
  const shown = each.looks.findLast(showsOpenJob);
  if (finished == null || shown === undefined || offsetMs === null) return false;
  return finished.ms - offsetMs <= shown.sentAtMs;
}

function isDatedLater(each: WebhookCase, offsetMs: number, roomMs: number): boolean {
  const finished = endedJob(each)?.finishedAt;
  const arrivedAtMs = each.deliveries[0]?.arrivedAtMs;
  if (finished == null || arrivedAtMs === undefined) return false;
  return finished.ms - offsetMs > arrivedAtMs + roomMs;
}

/** As judges of jobs read it. */
export function historyOf(each: WebhookCase): JobHistory {
  return {
    submission: each.submission,
    issuedId: each.jobId,
    workerId: decodeURIComponent(each.submission.path.split("/")[3] ?? ""),
    polls: each.looks,
    cancelRequests: [],
    expected: each.expected,
    gaveUpAtMs: null,
    deadlineMs: 0,
  };
}
