/**
 * What lists of jobs say of ends, beside the jobs' own addresses: an ended job is not listed as
 * waiting or running, nor does it show itself so once it was listed as ended (job.forward-only),
 * nor has it another end in the list (job.terminal-final; cancel.queued, where it was cancelled as
 * asked). Spec §3.1.
 */

import { isObject } from "../../../decode/decoded.ts";
import { decodeJobList } from "../../../decode/job-list.ts";
import type { JobHistory } from "../../../jobs/job-history.ts";
import type { Seen } from "../../../judging/claim.ts";
import { judgeFaultsAlone } from "../../../judging/decide.ts";
import { countText } from "../../../numbers/figures.ts";
import type { PromiseId } from "../../../promises.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { isBefore, isSuccess, jsonBody } from "../../../requests/exchange.ts";
import type { State } from "../../../states.ts";
import { isTerminal, parseStatus, stateRank } from "../../../states.ts";
import type { Finding } from "../../../verdict.ts";
import type { JobReading, StatePoll } from "../reading.ts";
import { firstEnd, readHistories, statePolls } from "../reading.ts";
import { LIST_LAG_MS_MAX } from "./list-limit.ts";

interface ListedState {
  id: string;
  state: State;
  list: Exchange;
}

/** A job as one list shows it, and what it showed of itself at other times. */
interface Compared extends ListedState {
  reading: JobReading;
}

/**
 * Entries may state none, may all be as they were accepted (§4.5: open), and grouped ones may only
 * stand under theirs. None where nothing is wrong.
 */
export function judgeListedStates(
  histories: readonly JobHistory[],
  lists: readonly Exchange[],
): readonly Finding[] {
  const readings = new Map(
    readHistories(histories).map((reading) => [reading.history.issuedId, reading] as const),
  );
  const ended = new Set([...readings.keys()].filter((id) => endOf(readings.get(id)) !== null));
  if (!lists.some((list) => showsAnEnd(list, ended))) return [];
  const compared = lists.flatMap(statesIn).flatMap((each): Compared[] => {
    const reading = readings.get(each.id);
    return reading === undefined ? [] : [{ ...each, reading }];
  });
  const ids = new Set(compared.map(({ id }) => id)).size;
  const judged = (promise: PromiseId, found: readonly Wrong[]) => {
    const faults = [...new Map(found.map(({ id, seen }) => [id, seen])).values()];
    return judgeFaultsAlone({ promise, faults, good: ids - faults.length, of: "jobs" });
  };
  const others = otherEnds(compared);
  return [
    ...judged("job.forward-only", compared.flatMap(behind)),
    ...judged(
      "job.terminal-final",
      others.filter(({ wasCancelled }) => wasCancelled !== true),
    ),
    ...judged(
      "cancel.queued",
      others.filter(({ wasCancelled }) => wasCancelled === true),
    ),
  ];
}

interface Wrong {
  id: string;
  seen: Seen;
  /** As asked, and seen so before the list: what it is then is cancel.queued's. */
  wasCancelled?: boolean;
}

function endOf(reading: JobReading | undefined): StatePoll | null {
  return reading === undefined ? null : firstEnd(reading);
}

/** In a state before its end, later than any list lags, and any view of its own, behind the end. */
function behind({ id, state, list, reading }: Compared): readonly Wrong[] {
  const end = endOf(reading);
  if (!isTerminal(state)) {
    const laterMs = end === null ? 0 : list.sentAtMs - end.exchange.receivedAtMs;
    if (end === null || laterMs <= LIST_LAG_MS_MAX) return [];
    const what = `was ${end.job.state}, and listed as ${state} ${secondsText(laterMs)} later`;
    return [{ id, seen: backward(id, what, [end.exchange, list]) }];
  }
  // Of a job that was cancelled as asked, what becomes of its state is cancel.queued's.
  if (state === "cancelled" && reading.history.cancelRequests.length > 0) return [];
  const untilMs = list.receivedAtMs + LIST_LAG_MS_MAX;
  const open = statePolls(reading).find(({ job, exchange }) => {
    return !isTerminal(job.state) && exchange.sentAtMs > untilMs;
  });
  if (open === undefined) return [];
  const laterMs = open.exchange.sentAtMs - list.receivedAtMs;
  const shown = `by itself ${open.job.state} ${secondsText(laterMs)} later`;
  return [
    { id, seen: backward(id, `was listed as ${state}, and ${shown}`, [list, open.exchange]) },
  ];
}

function backward(id: string, what: string, exchanges: readonly Exchange[]): Seen {
  return { what: `job ${id} ${what}; promised no return to an earlier state`, exchanges };
}

function secondsText(ms: number): string {
  return countText(Math.round(ms / 1_000), "second");
}

/**
 * Listed with another end than its own. A list may know fewer kinds of ends than jobs do: it is
 * held only to those that it tells of most jobs that ended so.
 */
function otherEnds(compared: readonly Compared[]): readonly Wrong[] {
  const told = compared
    .filter(({ state }) => isTerminal(state))
    .flatMap((each) => {
      const end = endOf(each.reading);
      return end === null ? [] : [{ ...each, end }];
    });
  const listedRightly = (end: State, isRight: boolean) =>
    new Set(
      told.flatMap(({ id, state, end: { job } }) =>
        job.state === end && (state === end) === isRight ? [id] : [],
      ),
    ).size;
  return told.flatMap(({ id, state, list, reading, end }): Wrong[] => {
    const own = end.job.state;
    const wasAsked = own === "cancelled" && reading.history.cancelRequests.length > 0;
    const wasCancelled = wasAsked && isBefore(end.exchange, list);
    if (state === own || (!wasCancelled && mayHaveChanged(reading, { state, list }))) return [];
    if (listedRightly(own, true) <= listedRightly(own, false)) return [];
    const what = `job ${id} is ${state} in the list, and ${own} by itself; promised one end`;
    return [{ id, seen: { what, exchanges: [end.exchange, list] }, wasCancelled }];
  });
}

/** Whether a cancel, or what it did not prevent, may have given the job another end meanwhile. */
function mayHaveChanged(
  reading: JobReading,
  { state, list }: Pick<ListedState, "state" | "list">,
): boolean {
  if (reading.history.cancelRequests.length === 0) return false;
  const polls = statePolls(reading).filter(({ job }) => isTerminal(job.state));
  if (polls.some(({ job }) => job.state === state)) return true;
  const isBracketed =
    polls.some(({ exchange }) => isBefore(exchange, list)) &&
    polls.some(({ exchange }) => isBefore(list, exchange));
  return !isBracketed;
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
