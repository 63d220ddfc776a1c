/**
 * When the service stood still, by all that is seen of it from outside: for want of a processor, or
 * under more than it can do. What was due then comes when it goes on, by whatever schedule.
 */

import { leastOf } from "../../numbers/extremes.ts";
import { medianOf, momentsIn } from "../../numbers/figures.ts";
import { tookMsOf } from "../../requests/exchange.ts";
import type { Span } from "../../time/spans.ts";
import { joined } from "../../time/spans.ts";
import { isOpened } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { answerTimesMs, askedIn } from "./case.ts";

/** Ours: a quarter of what a wait may be late; what is lost once is sent again sooner. */
export const STILL_MS_MIN = 500;

/**
 * In order of time, when something that the service had begun did not go on, and nothing else came
 * of it. Begun is a delivery from when its connection was opened to its request, and an answer that
 * takes longer than most.
 */
export function standstills(run: WebhookRun): readonly Span[] {
  const opened = run.cases.flatMap((each) => openingsOf(run, each));
  const asked = askedIn(run.cases).filter(({ error }) => error !== "local");
  const usualMs = medianOf(answerTimesMs(run.cases));
  const answered = asked.map(({ sentAtMs, receivedAtMs }) => ({
    fromMs: sentAtMs + usualMs,
    toMs: receivedAtMs,
  }));
  const begun = [...opened, ...answered].filter(isLong);
  if (begun.length === 0) return [];
  const signsMs = [
    ...run.cases.flatMap(({ deliveries }) => deliveries.map(({ arrivedAtMs }) => arrivedAtMs)),
    ...opened.map(({ fromMs }) => fromMs),
    ...asked.flatMap(({ status, receivedAtMs }) => (status === 0 ? [] : [receivedAtMs])),
  ].sort((a, b) => a - b);
  return joined(begun.flatMap((span) => gapsIn(span, signsMs)));
}

/** Ours: what stands still once or twice answers all that it was asked in as many moments. */
const CRAWLING_MIN = 3;

/**
 * How much longer than the quickest of their kind, submissions or polls, those answers took, at the
 * median, that were waited for within that time: of a service that does a little of everything, and
 * takes long for each; 0 where they came in too few moments to tell.
 */
export function crawlMs({ cases }: WebhookRun, { fromMs, toMs }: Span): number {
  const submissions = cases.map(({ submission }) => submission);
  const polls = cases.flatMap(({ looks }) => looks);
  const within = [submissions, polls].flatMap((asked) => {
    const answered = asked.filter(({ status }) => status !== 0);
    const leastMs = leastOf(answered.map(tookMsOf));
    return answered
      .filter((each) => each.sentAtMs < toMs && each.receivedAtMs > fromMs)
      .map((each) => ({ atMs: each.receivedAtMs, longerMs: tookMsOf(each) - leastMs }));
  });
  const moments = momentsIn(
    within.map(({ atMs }) => atMs),
    STILL_MS_MIN,
  );
  return moments < CRAWLING_MIN ? 0 : medianOf(within.map(({ longerMs }) => longerMs));
}

/**
 * Of what was due: a sender may open connections for later, or keep them; one that waits for too
 * long by mistake opens none until then.
 */
function openingsOf(run: WebhookRun, { deliveries, submission }: WebhookCase): readonly Span[] {
  return deliveries.flatMap((delivery, at) => {
    const { openedForMs, arrivedAtMs: toMs } = delivery;
    if (openedForMs === undefined || !isOpened(run, delivery)) return [];
    const before = deliveries[at - 1]?.arrivedAtMs ?? submission.sentAtMs;
    const dueAtMs = before + (run.times.webhookWaits[at - 1]?.earliestMs ?? 0);
    const fromMs = toMs - openedForMs;
    return fromMs < dueAtMs ? [] : [{ fromMs, toMs }];
  });
}

/** Those between two signs that are long enough. */
function gapsIn({ fromMs, toMs }: Span, signsMs: readonly number[]): readonly Span[] {
  const within = signsMs.filter((atMs) => atMs > fromMs && atMs < toMs);
  const bounds = [fromMs, ...within, toMs];
  return bounds
    .slice(1)
    .map((end, at) => ({ fromMs: bounds[at] ?? end, toMs: end }))
    .filter(isLong);
}

function isLong({ fromMs, toMs }: Span): boolean {
  return toMs - fromMs >= STILL_MS_MIN;
}
