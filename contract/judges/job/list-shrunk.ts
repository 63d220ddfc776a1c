/**
 * job.list-limit, by lists of one key that were asked for one after the other: with each job that
 * comes a list of so many jobs grows, or stays as long as it is. Spec §4.5.
 */

import { decodeJobList } from "../../decode/job-list.ts";
import type { Exchange } from "../../exchange.ts";
import { isSuccess, jsonBody } from "../../exchange.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import { LISTED_JOBS_MAX } from "../../plans.ts";
import { areWholeList } from "../../read-pages.ts";
import type { Finding } from "../../verdict.ts";
import type { OwnJob } from "./list-limit.ts";
import { listedIds } from "./list-own.ts";

/** None where nothing is wrong: how long a list is at the most is up to the service. */
export function judgeListShrunk(
  lists: readonly Exchange[],
  own: readonly OwnJob[],
): readonly Finding[] {
  const whole = lists
    .filter(isWhole)
    .map((list) => ({ list, ids: new Set(listedIds(list)) }))
    .sort((a, b) => a.list.sentAtMs - b.list.sentAtMs);
  const faults = whole.flatMap((later, at) => {
    const shrunk = whole.slice(0, at).map((earlier) => shrunkSince(earlier, later, own));
    return shrunk.find((each) => each !== null) ?? [];
  });
  return judgeFaultsAlone({ promise: "job.list-limit", faults, of: "lists" });
}

interface ReadList {
  list: Exchange;
  ids: ReadonlySet<string>;
}

/**
 * A job is gone though the list is shorter than it was, so that no later job has taken its place;
 * and one that was submitted after the longer list is there, so that the list is not behind.
 */
function shrunkSince(earlier: ReadList, later: ReadList, own: readonly OwnJob[]) {
  if (earlier.list.key !== later.list.key || later.ids.size >= earlier.ids.size) return null;
  const gone = [...earlier.ids].find((id) => !later.ids.has(id));
  const newer = [...later.ids].find((id) => isSince(id, earlier.list.receivedAtMs, own));
  if (gone === undefined || newer === undefined) return null;
  const laterMs = Math.round(later.list.sentAtMs - earlier.list.receivedAtMs);
  const what =
    `${later.ids.size} jobs are listed, with ${newer}, which is new, and without ${gone}, ` +
    `which was among ${earlier.ids.size} listed ${laterMs} ms before; ` +
    `promised the latest, up to ${LISTED_JOBS_MAX}`;
  return { what, exchanges: [later.list, earlier.list] };
}

/** An identifier that was issued before as well may be that of the earlier job. */
function isSince(id: string, sinceMs: number, own: readonly OwnJob[]): boolean {
  const issued = own.filter((job) => job.id === id);
  return issued.length > 0 && issued.every(({ sentAtMs }) => sentAtMs > sinceMs);
}

function isWhole(list: Exchange): boolean {
  const decoded = isSuccess(list) ? decodeJobList(jsonBody(list)) : null;
  return decoded !== null && areWholeList([list], decoded.looksPaginated);
}
