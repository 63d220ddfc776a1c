/**
 * Jobs that are shown as not ended until their receiver has answered, as where the webhook is sent
 * within the transaction that ends the job: then it came before the end, however that is dated. How
 * far a view lags behind does not hang on a receiver. Spec §6.
 */

import { jobIn } from "../../decode/job.ts";
import type { Delivery } from "../../jobs/delivery.ts";
import { chanceOfShare } from "../../numbers/binomial.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isTerminal } from "../../states.ts";
import { VIEW_LAG_MS } from "../job/reading.ts";
import { isTaken, takesMs } from "./attempts.ts";
import { CHANCE_MIN } from "./case.ts";
import type { WatchedJob } from "./timeline.ts";

/** Ours: fewer jobs are none. */
const JOBS_MIN = 3;

interface ShownOnceAnswered {
  jobs: readonly WatchedJob[];
  /** "came …" of each of them. */
  did: string;
}

/**
 * Those whose answers were held back, where so many more of them were shown as not ended for longer
 * than views may lag than of those whose deliveries were taken at once; none where not.
 */
export function shownOnceAnswered(cases: readonly WatchedJob[]): ShownOnceAnswered {
  const [held, taken] = [shownIn(cases.filter(isHeld)), shownIn(cases.filter(isTakenAtOnce))];
  const did =
    `came before its end was shown, as ${held.late.length} of ${held.known} did whose receiver ` +
    `held its answer back, and ${taken.late.length} of ${taken.known} whose answer came at once`;
  const counts = [held.late.length, held.known, taken.late.length, taken.known] as const;
  const isMore = held.late.length >= JOBS_MIN;
  const jobs = isMore && chanceOfShare(...counts) < CHANCE_MIN ? held.late : [];
  return { jobs, did };
}

function shownIn(group: readonly WatchedJob[]) {
  const late = group.filter((each) => shownLate(each) === true);
  return { late, known: group.filter((each) => shownLate(each) !== null).length };
}

/** For longer than views may lag; a status whose body comes late is answered at once. */
function isHeld({ deliveries: [first] }: WatchedJob): boolean {
  return first !== undefined && answersAfterMs(first) > VIEW_LAG_MS;
}

function answersAfterMs({ answer }: Delivery): number {
  if (answer.kind === "silent") return Number.POSITIVE_INFINITY;
  return answer.kind === "status" ? answer.delayMs : 0;
}

function isTakenAtOnce({ deliveries: [first] }: WatchedJob): boolean {
  return first !== undefined && isTaken(first) && takesMs(first.answer) === 0;
}

export function showsOpenJob(look: Exchange): boolean {
  const state = jobIn(look)?.state;
  return state != null && !isTerminal(state);
}

/** Whether it was shown as not ended beyond what views may lag; null: no look tells. */
function shownLate({ deliveries: [first], looks }: WatchedJob): boolean | null {
  const lagsUntilMs = (first?.arrivedAtMs ?? 0) + VIEW_LAG_MS;
  if (looks.some((look) => showsOpenJob(look) && look.sentAtMs > lagsUntilMs)) return true;
  const end = looks.find((look) => isTerminal(jobIn(look)?.state));
  return end !== undefined && end.receivedAtMs <= lagsUntilMs ? false : null;
}
