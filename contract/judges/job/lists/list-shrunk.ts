/**
 * job.list-limit, by lists of one key that were asked for one after the other: with each job that
 * comes a list of so many jobs grows, or stays as long as it is. One of so many minutes may get
 * shorter as its jobs get older, and one of the latest jobs of all accounts as others' come.
 * Spec §4.5.
 */

import { areWholeList } from "../../../answers/read-pages.ts";
import { decodeJobList } from "../../../decode/job-list.ts";
import { judgeFaultsAlone } from "../../../judging/decide.ts";
import { mostOf } from "../../../numbers/extremes.ts";
import { LISTED_JOBS_MAX } from "../../../plans.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { isSuccess, jsonBody } from "../../../requests/exchange.ts";
import type { Finding } from "../../../verdict.ts";
import { LONGEST_VIEW_LAG_MS } from "../reading.ts";
import type { OwnJob } from "./list-limit.ts";
import { listedIds } from "./list-own.ts";

/** Ours: no list is of the last few seconds. */
const LISTED_MS_MIN = 60_000;

/**
 * `own`: jobs of the lists' key. None where nothing is wrong: how long a list is at the most is up
 * to the service.
 */
export function judgeListShrunk(
  lists: readonly Exchange[],
  own: readonly OwnJob[],
): readonly Finding[] {
  const whole = lists
    .filter(isWhole)
    .map((list) => ({ list, ids: new Set(listedIds(list)) }))
    .sort((a, b) => a.list.sentAtMs - b.list.sentAtMs);
  const known = knownOf(own);
  const faults = whole.flatMap((later, at) => {
    const shrunk = whole.slice(0, at).map((earlier) => shrunkSince(earlier, later, known));
    return shrunk.find((each) => each !== null) ?? [];
  });
  return judgeFaultsAlone({ promise: "job.list-limit", faults, of: "lists" });
}

/** An own job, by when it may have been submitted first and last, and ended last. */
interface Known {
  id: string;
  sentAtMs: number;
  lastSentAtMs: number;
  settledAtMs: number | null;
}

/** An identifier that was issued more than once may be that of the earlier job. */
function knownOf(own: readonly OwnJob[]): readonly Known[] {
  const known = new Map<string, Known>();
  for (const { id, sentAtMs, settledAtMs } of own) {
    const last = known.get(id) ?? { sentAtMs, lastSentAtMs: sentAtMs, settledAtMs };
    const ends = [settledAtMs, last.settledAtMs].filter((each) => each !== null);
    known.set(id, {
      id,
      sentAtMs: Math.min(sentAtMs, last.sentAtMs),
      lastSentAtMs: Math.max(sentAtMs, last.lastSentAtMs),
      settledAtMs: ends.length < 2 ? null : Math.max(...ends),
    });
  }
  return [...known.values()];
}

interface ReadList {
  list: Exchange;
  ids: ReadonlySet<string>;
}

/**
 * A job is not there though the list is shorter than it was, so that no later job has taken its
 * place; and one that was submitted later, and after the longer list, is there, so that the list is
 * not behind. Nor is it too old: another was listed that had ended longer before; nor so new that
 * one of two views may lack it yet. What was there before this run may be cleared away at any time.
 */
function shrunkSince(earlier: ReadList, later: ReadList, known: readonly Known[]) {
  if (earlier.list.key !== later.list.key || later.ids.size >= earlier.ids.size) return null;
  const ends = known.flatMap(({ id, settledAtMs }) => {
    return earlier.ids.has(id) ? (settledAtMs ?? []) : [];
  });
  const olds = ends.map((endedMs) => earlier.list.sentAtMs - endedMs);
  const listedForMs = Math.max(LISTED_MS_MIN, mostOf(olds));
  const shown = known.filter(({ id }) => later.ids.has(id));
  const newest = shown.reduce<Known | null>((most, each) => {
    return most === null || each.sentAtMs > most.sentAtMs ? each : most;
  }, null);
  if (newest === null || newest.sentAtMs <= earlier.list.receivedAtMs) return null;
  const gone = known.find(({ id, sentAtMs, lastSentAtMs }) => {
    const isYoung = later.list.receivedAtMs - sentAtMs < listedForMs;
    const isLagging = later.list.sentAtMs - lastSentAtMs < LONGEST_VIEW_LAG_MS;
    return !later.ids.has(id) && lastSentAtMs < newest.sentAtMs && isYoung && !isLagging;
  });
  if (gone === undefined) return null;
  const laterMs = Math.round(later.list.sentAtMs - earlier.list.receivedAtMs);
  const before = earlier.ids.has(gone.id) ? "was among" : "came after";
  const what =
    `${later.ids.size} jobs are listed, with ${newest.id}, which is new, and without ${gone.id}, ` +
    `which ${before} ${earlier.ids.size} listed ${laterMs} ms before; ` +
    `promised the latest, up to ${LISTED_JOBS_MAX}`;
  return { what, exchanges: [later.list, earlier.list] };
}

function isWhole(list: Exchange): boolean {
  const decoded = isSuccess(list) ? decodeJobList(jsonBody(list)) : null;
  return decoded !== null && areWholeList([list], decoded.looksPaginated);
}
