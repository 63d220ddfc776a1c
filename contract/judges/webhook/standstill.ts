/**
 * When the service stood still, by all that is seen of it from outside: for want of a processor, or
 * under more than it can do. What was due then comes when it goes on, by whatever schedule.
 */

import { medianOf } from "../../figures.ts";
import type { Span } from "./held.ts";
import { joined } from "./held.ts";
import { answerTimesMs, isOpened } from "./network.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";

/** Ours: a quarter of what a wait may be late; what is lost on the way once is sent again sooner. */
const STILL_MS_MIN = 500;

type Seen = Omit<WebhookTimeline, "held" | "unfree">;

/**
 * In order of time, when something that the service had begun did not go on, and nothing else came
 * of it. Begun is a delivery from when its connection was opened to its request, and an answer that
 * takes longer than most.
 */
export function standstills(run: Seen): readonly Span[] {
  const opened = run.attempts.flatMap((attempt) => openingOf(run, attempt));
  const asked = run.cases.flatMap(({ submission, looks }) => [submission, ...looks]);
  const usualMs = medianOf(answerTimesMs(run.cases));
  const answered = asked
    .filter(({ error }) => error !== "local")
    .map(({ sentAtMs, receivedAtMs }) => ({ fromMs: sentAtMs + usualMs, toMs: receivedAtMs }));
  const begun = [...opened, ...answered].filter(isLong);
  if (begun.length === 0) return [];
  const signsMs = [
    ...run.attempts.map(({ delivery }) => delivery.arrivedAtMs),
    ...opened.map(({ fromMs }) => fromMs),
    ...asked.flatMap(({ status, receivedAtMs }) => (status === 0 ? [] : [receivedAtMs])),
  ].sort((a, b) => a - b);
  return joined(begun.flatMap((span) => gapsIn(span, signsMs)));
}

/**
 * Of what was due: a sender may open connections for later, or keep them; one that waits for too
 * long by mistake opens none until then.
 */
function openingOf(run: Seen, { each, number, delivery }: Attempt): readonly Span[] {
  const { openedForMs } = delivery;
  if (openedForMs === undefined || !isOpened(run, delivery)) return [];
  const before = each.deliveries[number - 2];
  const waitMs = run.times.webhookWaits[number - 2]?.earliestMs ?? 0;
  const dueAtMs = before === undefined ? each.submission.sentAtMs : before.arrivedAtMs + waitMs;
  const fromMs = delivery.arrivedAtMs - openedForMs;
  return fromMs < dueAtMs ? [] : [{ fromMs, toMs: delivery.arrivedAtMs }];
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
