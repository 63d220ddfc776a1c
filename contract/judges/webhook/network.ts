/**
 * What the way to a sender may add to a wait, or take from it: nobody sees when a sender begins to
 * connect, it counts from an answer that was on its way to it, and what is lost on the way is sent
 * again.
 */

import type { Delivery } from "../../jobs/delivery.ts";
import { isHeldBack } from "../../jobs/delivery.ts";
import type { Explanation } from "../../judging/claim.ts";
import { upTo } from "../../judging/claim.ts";
import { chanceOfAtLeast, chanceOfShare } from "../../numbers/binomial.ts";
import { leastOf } from "../../numbers/extremes.ts";
import { medianOf } from "../../numbers/figures.ts";
import { isPassedOn } from "./attempts.ts";
import { answerTimesMs, CHANCE_MIN } from "./case.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";

/** Round trips until a new connection carries a request: TCP, TLS 1.2. RFC 9293, RFC 5246 §7.3. */
const HANDSHAKES = 3;
/** From an answer to the next request on a new connection. */
const TRIPS_MAX = 1 + HANDSHAKES;

/** What a sender may count into the time for an answer, at the most. */
export function longestWayMs(run: WebhookTimeline): number {
  return TRIPS_MAX * tripOf(run).usualMs;
}

/** It is in each wait of a run: no more of it is there than in the one that has least. */
export function lateByWay(run: WebhookTimeline, { next }: Attempt): readonly Explanation[] {
  const { usualMs, spreadMs } = tripOf(run);
  const trips = next !== null && isReused(run, next.delivery) ? 1 : TRIPS_MAX;
  const atMost = Math.min(trips * usualMs, leastExcessMs(run) + trips * spreadMs);
  const why = `connecting and the network may take ${Math.round(atMost)} ms`;
  return upTo(atMost, "network", why);
}

/** Of a sender that counts from where it began to connect; the next one may stand nearer. */
export function earlyByWay(run: WebhookTimeline, { delivery }: Attempt): readonly Explanation[] {
  const atMost = isReused(run, delivery) ? 0 : HANDSHAKES * tripOf(run).usualMs;
  const why = `connecting for the attempt before may have taken ${Math.round(atMost)} ms`;
  return upTo(atMost, "network", why);
}

/** What is lost is sent again no sooner. RFC 6298 §2, with the least time that Linux has. */
const LOST_MS = 200;

/** What is to open a connection is sent again after this, then after twice as long. RFC 6298 §2. */
const UNOPENED_MS = 1_000;

/**
 * What is lost is sent again 0.2 s later at the earliest, later each time that it is lost again, or
 * a second later where it was to open a connection: single waits are off by that. The way is no
 * worse than for exchanges of ours: a wait is as likely to be off by so much as an exchange is to
 * take that much longer than most, where any took as long as it takes to send again; where none
 * took that much longer, as an exchange is to be lost as many times in a row. A path may lose
 * something although it begins on this machine, as one through a tunnel does.
 *
 * @param offMs How far the wait is outside of what is tolerated; negative: it is not.
 * @param offsMs The same of all waits of its kind.
 */
export function byLoss(
  { cases, times }: WebhookTimeline,
  offMs: number,
  offsMs: readonly number[],
): readonly Explanation[] {
  if (offMs <= 0) return [];
  const tookMs = answerTimesMs(cases);
  const usualMs = medianOf(tookMs);
  const longerBy = (leastMs: number) => tookMs.filter((ms) => ms - usualMs >= leastMs).length;
  const slow = longerBy(offMs);
  const lost = longerBy(Math.min(offMs, LOST_MS));
  if (lost === 0) return [];
  const waits = offsMs.filter((ms) => ms >= offMs).length;
  const isAlike = chanceOfShare(waits, offsMs.length, slow, tookMs.length) >= CHANCE_MIN;
  // One more of each: what was not seen in so many may be there.
  const lostShare = (lost + 1) / (tookMs.length + 2);
  const inARow = lostShare ** lossesFor(Math.min(offMs, times.webhookAnswerMs));
  const isChance =
    isAlike && (slow > 0 || chanceOfAtLeast(waits, offsMs.length, inARow) >= CHANCE_MIN);
  const why =
    slow === 0
      ? `${lost} of ${tookMs.length} requests took ${LOST_MS} ms longer than most, as if lost once`
      : `${slow} of ${tookMs.length} requests took ${Math.round(offMs)} ms longer than most, too`;
  return upTo(isChance ? offMs : 0, "network", why);
}

/** How many in a row, at the least, make something so late; after the limit a sender gives up. */
function lossesFor(offMs: number): number {
  return Math.max(1, Math.ceil(Math.log2(offMs / UNOPENED_MS + 1)));
}

/**
 * A round trip to the service takes no longer than most of its answers, and differs by no more than
 * they do; its senders stand beside it. On one machine there is none.
 */
function tripOf({ isLocal, cases }: WebhookTimeline): { usualMs: number; spreadMs: number } {
  const tookMs = isLocal ? [] : answerTimesMs(cases);
  const usualMs = medianOf(tookMs);
  return { usualMs, spreadMs: tookMs.length === 0 ? 0 : usualMs - leastOf(tookMs) };
}

/** After prompt failures: when a sender gives an answer up is nothing that a receiver sees. */
function leastExcessMs(run: WebhookTimeline): number {
  const moreMs = run.failed.flatMap(({ delivery, wait, waitedMs }) => {
    if (waitedMs === null || wait === null || isHeldBack(delivery.answer)) return [];
    return [waitedMs.low - wait.promisedMs];
  });
  return Math.max(0, Math.min(...moreMs));
}

function isReused(run: WebhookTimeline, delivery: Delivery): boolean {
  return delivery.requestsBefore > 0 && !isPassedOn(run, delivery);
}
