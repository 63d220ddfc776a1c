/**
 * Notes on the list of jobs, whose shape is open: entries that show another state than the job
 * itself does, and counts that contradict the entries. Spec §4.5.
 */

import { countsOfEntries } from "../../../answers/next-page.ts";
import { jobIn } from "../../../decode/job.ts";
import { decodeJobList } from "../../../decode/job-list.ts";
import type { JobHistory } from "../../../jobs/job-history.ts";
import { countText } from "../../../numbers/figures.ts";
import type { Exchange } from "../../../requests/exchange.ts";
import { isSuccess, jsonBody } from "../../../requests/exchange.ts";
import type { State } from "../../../states.ts";
import { isTerminal, stateRank } from "../../../states.ts";
import { statesIn } from "./listed-state.ts";

/** Ours: views may differ by so much for as long as a change takes to reach both. */
const ROOM_MS = 5_000;
/** Ours: one list may be read while jobs come and go. */
const LISTS_MIN = 2;

type ListedJobHistory = Pick<JobHistory, "issuedId" | "polls">;

/**
 * `lists`: of the jobs' own account, in any order. `isLagJudged`: a verdict tells of lists that lag
 * behind for long, so that no note tells of those that lag for less.
 */
export function listNotes(
  lists: readonly Exchange[],
  jobs: readonly ListedJobHistory[],
  isLagJudged: boolean,
): readonly string[] {
  const read = lists.filter(isSuccess);
  return [...stateNotes(read, jobs, isLagJudged), ...countNotes(read)];
}

interface Shown {
  state: State;
  sentAtMs: number;
  receivedAtMs: number;
}

function stateNotes(
  lists: readonly Exchange[],
  jobs: readonly ListedJobHistory[],
  isLagJudged: boolean,
): readonly string[] {
  const own = new Map(jobs.map((job) => [job.issuedId, ownStates(job)] as const));
  const compared = new Set<string>();
  const wrong = new Map<string, string>();
  for (const list of lists) {
    for (const { id, state } of statesIn(list)) {
      const states = own.get(id) ?? [];
      if (states.length > 0) compared.add(id);
      const other = states.find((each) => {
        const isBehind = !isTerminal(state) && stateRank(state) < stateRank(each.state);
        return !(isLagJudged && isBehind) && contradict({ ...list, state }, each);
      });
      if (other !== undefined) wrong.set(id, differenceText(id, { ...list, state }, other));
    }
  }
  const [first] = wrong.values();
  if (first === undefined) return [];
  const of = `${wrong.size} of ${countText(compared.size, "job")}`;
  return [`the job list shows ${of} in another state than the job's own address: ${first}`];
}

function ownStates({ polls }: ListedJobHistory): readonly Shown[] {
  return polls.filter(isSuccess).flatMap((poll) => {
    const state = jobIn(poll)?.state ?? null;
    const { sentAtMs, receivedAtMs } = poll;
    return state === null ? [] : [{ state, sentAtMs, receivedAtMs }];
  });
}

/** States only move forward, and of two ends one is wrong at any time. Spec §3.1. */
function contradict(listed: Shown, own: Shown): boolean {
  if (isTerminal(listed.state) && isTerminal(own.state)) return listed.state !== own.state;
  const ahead = stateRank(listed.state) - stateRank(own.state);
  if (ahead < 0) return own.receivedAtMs + ROOM_MS <= listed.sentAtMs;
  return ahead > 0 && listed.receivedAtMs + ROOM_MS <= own.sentAtMs;
}

function differenceText(id: string, listed: Shown, own: Shown): string {
  const apartMs = Math.max(
    listed.sentAtMs - own.receivedAtMs,
    own.sentAtMs - listed.receivedAtMs,
    0,
  );
  const when = own.sentAtMs < listed.sentAtMs ? "before" : "after";
  const seconds = Math.round(apartMs / 1_000);
  const shown = `${id} is ${listed.state} in the list`;
  return `${shown}, and was ${own.state} by itself ${seconds} s ${when} that`;
}

/** Where no list that tells a count tells one that its entries allow. */
function countNotes(lists: readonly Exchange[]): readonly string[] {
  const told = lists.flatMap((list) => {
    const body = jsonBody(list);
    const entries = decodeJobList(body)?.jobs.length ?? 0;
    const counts = countsOfEntries(body);
    return counts.length === 0 ? [] : [{ entries, count: Math.min(...counts) }];
  });
  const full = told.filter(({ entries }) => entries > 0);
  const wrong = full.filter(({ entries, count }) => count < entries);
  const [first] = wrong;
  if (first === undefined || wrong.length < Math.max(LISTS_MIN, full.length)) return [];
  const { entries, count } = first;
  return [
    `the job list tells a count of ${count} beside ` +
      `${countText(entries, "entry", "entries")}, and in each of ${wrong.length} lists too few`,
  ];
}
