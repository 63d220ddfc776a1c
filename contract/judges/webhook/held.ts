/**
 * When answers that were held back on purpose may have kept a sender from sending anything else: it
 * may make few deliveries at a time, and each waits for its answer. Spec §6 allows 10 s for one.
 */

import type { Delivery } from "../../jobs/delivery.ts";
import { isHeldBack } from "../../jobs/delivery.ts";
import type { PromisedTimes } from "../../run/run-plan.ts";
import type { Span } from "../../time/spans.ts";
import { joined } from "../../time/spans.ts";
import { overAtMs } from "./attempts.ts";

/**
 * In order of time, when as many answers were held as ever were at once, or was sent what had
 * gathered meanwhile: a sender that has room for more of them would not have had to wait. Whether
 * it waits for a body is open.
 */
export function heldSpans(deliveries: readonly Delivery[], times: PromisedTimes): readonly Span[] {
  const held = deliveries.filter(({ answer }) => isHeldBack(answer));
  const most = mostAtOnce(levelsOf(held.map((each) => spanOf(each, times, false))));
  const levels = levelsOf(held.map((each) => spanOf(each, times, true)));
  const full = joined(levels.filter(({ count }) => count > 0 && count >= most));
  const arrivalsMs = deliveries.map(({ arrivedAtMs }) => arrivedAtMs).sort((a, b) => a - b);
  return joined(full.map((span) => withCatchUp(span, arrivalsMs)));
}

/** Ours: a sender that has more to send does not pause for so long. */
const PAUSE_MS = 1_000;

/** What gathered while it was full goes out one after the other, in as long at the most. */
function withCatchUp({ fromMs, toMs }: Span, arrivalsMs: readonly number[]): Span {
  let lastMs = toMs;
  for (const atMs of arrivalsMs) {
    if (atMs > lastMs + PAUSE_MS) break;
    lastMs = Math.max(lastMs, atMs);
  }
  return { fromMs, toMs: Math.min(lastMs, 2 * toMs - fromMs) };
}

/** Until its answer was there; where none came, until the sender must have given it up. */
function spanOf(delivery: Delivery, times: PromisedTimes, withBody: boolean): Span {
  const { arrivedAtMs, answeredAtMs, hungUpAtMs, answer } = delivery;
  if (answer.kind === "silent") return { fromMs: arrivedAtMs, toMs: overAtMs(delivery, times) };
  const toMs = answeredAtMs ?? hungUpAtMs ?? arrivedAtMs + times.webhookAnswerMs;
  const bodyMs = answer.kind === "status" && withBody ? (answer.bodyMs ?? 0) : 0;
  return { fromMs: arrivedAtMs, toMs: toMs + bodyMs };
}

/** A stretch, and how many spans it is in. */
interface Level extends Span {
  count: number;
}

function levelsOf(spans: readonly Span[]): readonly Level[] {
  const steps = spans.flatMap(({ fromMs, toMs }) => [
    { atMs: fromMs, by: 1 },
    { atMs: toMs, by: -1 },
  ]);
  steps.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let count = 0;
  return steps.map(({ atMs, by }, at) => {
    count += by;
    return { count, fromMs: atMs, toMs: steps[at + 1]?.atMs ?? atMs };
  });
}

/** Ours: a hang-up arrives so much later, at the most, than what the sender does next. */
const PASSING_MS = 500;

/** Overlaps in passing left out. */
function mostAtOnce(levels: readonly Level[]): number {
  const lastsMs = (least: number) =>
    levels.reduce((sum, each) => sum + (each.count < least ? 0 : each.toMs - each.fromMs), 0);
  const counts = levels.map(({ count }) => count);
  return Math.max(0, ...counts.filter((least) => lastsMs(least) > PASSING_MS));
}
