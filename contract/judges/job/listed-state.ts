/** job.forward-only, by lists: an ended job is not listed as waiting or running. Spec §3.1. */

import { isObject } from "../../decode/decoded.ts";
import { decodeJobList } from "../../decode/job-list.ts";
import type { Exchange } from "../../exchange.ts";
import { isSuccess, jsonBody } from "../../exchange.ts";
import { countText } from "../../figures.ts";
import type { JobHistory } from "../../job-history.ts";
import type { Seen } from "../../judging/claim.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import type { State } from "../../states.ts";
import { isTerminal, parseStatus, stateRank } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import { LIST_LAG_MS_MAX } from "./list-limit.ts";
import { firstEnd, readHistories } from "./reading.ts";

interface ListedState {
  id: string;
  state: State;
  list: Exchange;
}

/**
 * An ended job in a state before its end, in a list that was asked for later than any list lags
 * behind. Entries may state none, may all be as they were accepted (§4.5: open), and grouped ones
 * may only stand under theirs. None where nothing is wrong.
 */
export function judgeListedStates(
  histories: readonly JobHistory[],
  lists: readonly Exchange[],
): readonly Finding[] {
  const ends = new Map(
    readHistories(histories).flatMap((reading) => {
      const { issuedId } = reading.history;
      const end = firstEnd(reading);
      return issuedId === null || end === null ? [] : [[issuedId, end] as const];
    }),
  );
  const listed = lists.flatMap(statesIn).flatMap((each) => {
    const end = ends.get(each.id);
    if (end === undefined) return [];
    const laterMs = each.list.sentAtMs - end.exchange.receivedAtMs;
    return laterMs > LIST_LAG_MS_MAX ? [{ ...each, end, laterMs }] : [];
  });
  if (!lists.some((list) => showsAnEnd(list, ends))) return [];
  const stale = listed.filter(({ state }) => !isTerminal(state));
  const faults = [...new Map(stale.map((each) => [each.id, each])).values()].map(
    ({ id, state, list, end, laterMs }): Seen => {
      const seconds = Math.round(laterMs / 1_000);
      const what =
        `job ${id} was ${end.job.state}, and listed as ${state} ${countText(seconds, "second")} ` +
        "later; promised no return to an earlier state";
      return { what, exchanges: [end.exchange, list] };
    },
  );
  const good = new Set(listed.map(({ id }) => id)).size - faults.length;
  return judgeFaultsAlone({ promise: "job.forward-only", faults, good, of: "jobs" });
}

/**
 * Whether a job whose end was seen before the list was asked for is listed as not ended, while
 * others of them are listed as ended.
 */
export function listsAsOpen(
  list: Exchange,
  jobs: readonly { issuedId: string | null; endSeenAtMs: number | null }[],
): boolean {
  const isEnded = (end: number | null) => end !== null && end < list.sentAtMs;
  const ended = new Set(jobs.flatMap((job) => (isEnded(job.endSeenAtMs) ? [job.issuedId] : [])));
  const isOpen = statesIn(list).some(({ id, state }) => !isTerminal(state) && ended.has(id));
  return isOpen && showsAnEnd(list, ended);
}

function showsAnEnd(list: Exchange, ended: { has(id: string): boolean }): boolean {
  return statesIn(list).some(({ id, state }) => isTerminal(state) && ended.has(id));
}

/** Of a job with several entries, one for each run or change, the furthest state. */
export function statesIn(list: Exchange): readonly ListedState[] {
  if (!isSuccess(list)) return [];
  const states = new Map<string, ListedState>();
  for (const { id, entry } of decodeJobList(jsonBody(list))?.jobs ?? []) {
    const state = isObject(entry) ? parseStatus(entry.status)?.state : undefined;
    const known = states.get(id);
    if (state === undefined) continue;
    if (known === undefined || stateRank(known.state) < stateRank(state))
      states.set(id, { id, state, list });
  }
  return [...states.values()];
}
