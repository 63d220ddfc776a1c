/** Whether a job was told of by two runs of it, whose deliveries took steps of one script. */

import { decodeJob } from "../../decode/job.ts";
import type { Delivery } from "../../jobs/delivery.ts";
import { MACHINES_DIFFER_MS } from "../../time/timestamps.ts";
import { bodyOf, isFailure, isTaken, overAtMs, takesMs } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";

type Seen = Pick<WebhookCase, "deliveries" | "watchedUntilMs">;
type Schedule = Pick<WebhookRun, "times" | "lagMs">;

/**
 * Two ends, by the job's own time, of which the other one is told after the first was taken, or
 * between attempts that tell the first. Attempts of one schedule may tell what they like: they are
 * of one run.
 */
export function hasSecondRun(each: Seen, schedule: Schedule): boolean {
  const { deliveries } = each;
  const ends = deliveries.map(toldEndMs);
  const [firstMs = null] = ends;
  const isOther = (ms: number | null) =>
    ms !== null && firstMs !== null && Math.abs(ms - firstMs) > MACHINES_DIFFER_MS;
  const other = ends.findIndex(isOther);
  if (other === -1) return false;
  const isBetween = ends.slice(other).includes(firstMs);
  if (!isBetween && !deliveries.slice(0, other).some(isTaken)) return false;
  return seriesIn(each, schedule)?.length !== 1;
}

function toldEndMs(delivery: Delivery): number | null {
  return decodeJob(bodyOf(delivery)).value?.finishedAt?.ms ?? null;
}

/**
 * Whether two senders told of it: the second one's first attempt lies between two of the first's,
 * and both keep to the schedule of retries, each by itself.
 */
export function hasSecondSender(each: Seen, schedule: Schedule): boolean {
  const [first, second] = seriesIn(each, schedule) ?? [];
  const [begun] = second ?? [];
  return begun !== undefined && first?.at(-1) !== first?.findLast((one) => isBefore(one, begun));
}

const isBefore = (one: Delivery, other: Delivery) => one.arrivedAtMs <= other.arrivedAtMs;

/**
 * The deliveries as one series of attempts or two, in each of which a failed one is followed by the
 * next as promised, and no other one is followed; null where they are no such series.
 */
function seriesIn({ deliveries, watchedUntilMs }: Seen, { times, lagMs }: Schedule) {
  const series: Delivery[][] = [];
  const dueIn = (own: readonly Delivery[]) => {
    const [last, wait] = [own.at(-1), times.webhookWaits[own.length - 1]];
    if (last === undefined || wait === undefined) return null;
    // Whether a late answer counts is another promise's: it may be followed.
    const lastsMs = isLate(last) ? times.webhookAnswerMs : 0;
    if (!isFailure(last.answer, times) && lastsMs === 0) return null;
    const overMs = Math.max(overAtMs(last, times), last.arrivedAtMs + lastsMs);
    const fromMs = last.arrivedAtMs + wait.earliestMs - lagMs;
    return { fromMs, toMs: overMs + wait.latestMs + lagMs };
  };
  const isLate = ({ answer }: Delivery) =>
    takesMs(answer) >= times.webhookAnswerMs && !isFailure(answer, times);
  for (const delivery of deliveries) {
    const { arrivedAtMs } = delivery;
    // Where it may be either's, it is that one's whose time is over first: after a failed attempt
    // that was slow, the next is due for as long as that took.
    const [own] = series
      .filter((each) => {
        const due = dueIn(each);
        return due !== null && arrivedAtMs >= due.fromMs && arrivedAtMs <= due.toMs;
      })
      .sort((a, b) => (dueIn(a)?.toMs ?? 0) - (dueIn(b)?.toMs ?? 0));
    if (own === undefined) series.push([delivery]);
    else own.push(delivery);
  }
  const isOver = series.every((own) => {
    return own.slice(-1).some(isLate) || (dueIn(own)?.toMs ?? Infinity) >= watchedUntilMs;
  });
  return isOver && series.length <= 2 ? series : null;
}
