/** Asks for the list of jobs while some of them wait and run. Spec §4.5. */

import { readPages } from "../../contract/answers/read-pages.ts";
import type { OwnJob } from "../../contract/judges/job/lists/list-limit.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { Observation } from "../../contract/run/observation.ts";
import type { Context } from "../client/context.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";

/** Ours: enough for a hundred jobs where a page has ten. */
export const LIST_PAGES_MAX = 11;
/** Ours: past what a list may lag behind, and before slow jobs have ended. */
const POLLS_AFTER_MS = [3_500, 5_500, 6_800];

export async function askJobList(context: Context, key: string, query: string): Promise<Exchange> {
  return context.ask({ method: "GET", route: "jobs", key, ...(query === "" ? {} : { query }) });
}

/** Of jobs that were just submitted. */
export async function listMeanwhile(
  context: Context,
  isOver: () => boolean,
): Promise<readonly (readonly Exchange[])[]> {
  const { caller: key, world } = context;
  const lists: (readonly Exchange[])[] = [];
  if (key === null || !context.asks("job.list-own")) return lists;
  const startedMs = world.now();
  const ask = (query: string) => askJobList(context, key, query);
  for (const afterMs of POLLS_AFTER_MS) {
    await world.delay(startedMs + afterMs - world.now());
    if (isOver() || world.now() > context.deadlineAtMs) break;
    lists.push(await readPages({ ask, isEnough: () => false, pagesMax: LIST_PAGES_MAX }));
  }
  return lists;
}

/** With all jobs of the caller's that are known. */
export function listedObservation(
  lists: readonly (readonly Exchange[])[],
  jobs: readonly FollowedJob[],
): readonly Observation[] {
  if (lists.length === 0) return [];
  return [{ kind: "contract.listed", value: { lists, own: ownJobs(jobs) } }];
}

/**
 * Jobs by the window in which they were accepted; of an identifier issued twice nothing is known.
 */
export function ownJobs(jobs: readonly FollowedJob[]): readonly OwnJob[] {
  const times = new Map<string, number>();
  for (const { issuedId } of jobs) {
    if (issuedId !== null) times.set(issuedId, (times.get(issuedId) ?? 0) + 1);
  }
  return jobs.flatMap(({ issuedId, submission, endSeenAtMs }) => {
    if (issuedId === null || times.get(issuedId) !== 1 || !isSuccess(submission)) return [];
    const { sentAtMs, receivedAtMs, requestBody } = submission;
    // A webhook may be tried again long after the end, and the job be changed by it.
    const settledAtMs = requestBody?.includes('"webhook"') ? null : endSeenAtMs;
    return [{ id: issuedId, sentAtMs, receivedAtMs, settledAtMs }];
  });
}
