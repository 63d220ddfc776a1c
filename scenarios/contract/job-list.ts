/** Looks at the list of recent jobs, as its owner and as another account. Spec §4.5. */

import { readPages } from "../../contract/answers/read-pages.ts";
import { jobIn } from "../../contract/decode/job.ts";
import type { OwnJob } from "../../contract/judges/job/lists/list-limit.ts";
import { LIST_LAG_MS_MAX, leftOut, staleJob } from "../../contract/judges/job/lists/list-limit.ts";
import type { ListedLater, ListOwnInput } from "../../contract/judges/job/lists/list-own.ts";
import { isListed, listedIds } from "../../contract/judges/job/lists/list-own.ts";
import { listsAsOpen } from "../../contract/judges/job/lists/listed-state.ts";
import type { AskedList } from "../../contract/judges/job/lists/refused-list.ts";
import { LISTED_JOBS_MAX } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { routePath } from "../../contract/requests/routes.ts";
import { asQuoted } from "../../contract/verdict.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { followToEnd, pollAgain } from "../client/followed/follow.ts";
import type { FollowedJob } from "../client/followed/followed-job.ts";
import { pollList } from "../client/followed/poll-list.ts";
import { submit } from "../client/submit.ts";
import { pollUntil } from "../world/poll-until.ts";
import { askJobList, LIST_PAGES_MAX, ownJobs } from "./listed-jobs.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

/** Ours: how often a list is asked that lags behind what was accepted. */
const LAG_WAIT_MS = 300;
/**
 * Ours: so many jobs are old before the others come, and so many others more than the list's limit
 * come that the old ones must have gone, should some be refused.
 */
const BEYOND_LIMIT = 8;
/** Ours: what strikes an end mostly does so within seconds. */
const LATER_POLL_MS = 1_000;
/** Ours: submissions in flight at once, few enough to be in a known order. */
const SUBMITTERS = 4;

export const listOwnStep: Step = {
  name: "job: the list of one's own jobs",
  promises: ["job.list-own"],
  async run(context, catalogue) {
    const key = context.caller;
    const job = await oneMore(context, await catalogue());
    const other = context.plan.roles.stranger;
    const [listed, others] = await Promise.all([
      key === null || job?.issuedId == null ? null : listedLater(context, key, job.issuedId),
      other === null ? [] : listsOf(context, other, key),
    ]);
    const accepted = listed === null ? [] : [listed];
    const stranger = strangerOf(context, others);
    if (other !== null) await noteReadByOther(context, other);
    const without =
      other === null
        ? "the target names no active key of another account"
        : "no job could be submitted with the key";
    return [{ kind: "contract.list-own", value: { accepted, stranger, without } }];
  },
};

/**
 * Ours: what a thread, a connection or a replica has kept of the account before shows in some lists
 * only, and beside that account's requests.
 */
const LISTS_OF_OTHER = 5;

/**
 * The first is asked for just after the caller's, the second just before another one of the
 * caller's: of two that are looked up at once, either may be answered as the other.
 */
async function listsOf(
  context: Context,
  key: string,
  caller: string | null,
): Promise<readonly Exchange[]> {
  const lists = [await askJobList(context, key, "")];
  await Promise.all([context.rest(key), context.rest(caller)]);
  const second = askJobList(context, key, "");
  if (caller !== null) await askJobList(context, caller, "");
  lists.push(await second);
  while (lists.length < LISTS_OF_OTHER) lists.push(await askJobList(context, key, ""));
  return lists;
}

/** By the list that shows one of the caller's jobs, if any does; else by the last one served. */
function strangerOf({ ownIds }: Context, lists: readonly Exchange[]): ListOwnInput["stranger"] {
  const foreignIds = [...ownIds];
  const leaking = lists.find((list) => foreignIds.some((id) => isListed(list, id)));
  const list = leaking ?? lists.findLast(({ status }) => status === 200) ?? lists.at(-1);
  return list === undefined ? null : { list, foreignIds };
}

async function oneMore(context: Context, known: Catalogue): Promise<FollowedJob | null> {
  const submission = submissionOf(context, known, "success");
  const job = submission === null ? null : await submit(context, submission);
  if (job !== null) context.jobs.push(job);
  return job;
}

async function listedLater(context: Context, key: string, id: string): Promise<ListedLater> {
  const lists = await listUntilSeen(context, key, id);
  const seen = { id, lists: telling(lists) };
  if (lists.at(-1)?.status === 200) return seen;
  return { ...seen, meanwhile: await context.ask({ method: "GET", route: "me", key }) };
}

async function listUntilSeen(context: Context, key: string, id: string): Promise<Exchange[]> {
  const { world } = context;
  const lists: Exchange[] = [];
  const ask = (query: string) => askJobList(context, key, query);
  const isSeen = (list: Exchange) => isListed(list, id);
  await pollUntil(world, {
    async ask() {
      const pages = await readPages({ ask, isEnough: isSeen, pagesMax: LIST_PAGES_MAX });
      lists.push(...pages);
      return pages;
    },
    isEnough: (pages) => pages.some(isSeen),
    untilMs: world.now() + LIST_LAG_MS_MAX,
    waitMs: () => LAG_WAIT_MS,
  });
  return lists;
}

/** Lists before the last ones did not show the job: they are quoted at the most. */
function telling(lists: readonly Exchange[]): readonly Exchange[] {
  const last = lists.findLastIndex(({ status }) => status === 200);
  return lists.map((list, at) => (at === last || at === lists.length - 1 ? list : asQuoted(list)));
}

export const listLimitStep: Step = {
  name: "job: more than a hundred jobs, and the list",
  promises: ["job.list-limit"],
  async run(context, catalogue) {
    const key = context.caller;
    if (key === null) return nothing("the plan names no active key", ["job.list-limit"]);
    const before = await askJobList(context, key, "");
    const isFull = listedIds(before).length >= LISTED_JOBS_MAX;
    const wanted = Math.max(BEYOND_LIMIT, missingJobs(ownJobs(context.jobs)));
    const left = context.spending.left();
    const more = isFull && left < wanted ? BEYOND_LIMIT : wanted;
    const room = left >= more;
    const oldest = Math.min(more, BEYOND_LIMIT);
    // The oldest ones have ended before the others come: then they can't count as the latest.
    for (const count of room ? [oldest, more - oldest] : []) {
      await runMany(context, await catalogue(), count);
    }
    const own = ownJobs(context.jobs);
    const takes = `it takes over ${LISTED_JOBS_MAX} jobs, most of them after others have ended`;
    const without = `${takes}, and ${whyNotMore(context, room)}`;
    const seen = await listUntilFresh(context, key, own);
    return [{ kind: "contract.list-limit", value: { before, ...seen, own, without } }];
  },
};

/** How many more it takes for some that have ended to lie beyond the limit for sure. */
function missingJobs(own: readonly OwnJob[]): number {
  const ends = own.flatMap(({ settledAtMs }) => settledAtMs ?? []).sort((a, b) => a - b);
  const endedAtMs = ends[BEYOND_LIMIT - 1];
  if (endedAtMs === undefined) return LISTED_JOBS_MAX + 2 * BEYOND_LIMIT;
  const newer = own.filter(({ sentAtMs }) => sentAtMs > endedAtMs).length;
  return LISTED_JOBS_MAX + BEYOND_LIMIT - newer;
}

function whyNotMore(context: Context, room: boolean): string {
  if (!room) return context.spending.whyNot("budget or plan do not allow it");
  return context.world.now() >= context.deadlineAtMs
    ? "the run's time was over"
    : "too few were accepted";
}

async function runMany(context: Context, known: Catalogue, total: number): Promise<void> {
  const submission = submissionOf(context, known, "success");
  if (submission === null) return;
  const jobs: FollowedJob[] = [];
  let left = total;
  const submitter = async () => {
    while (left > 0 && context.world.now() < context.deadlineAtMs) {
      left -= 1;
      const job = await submit(context, submission);
      if (job === null) return;
      jobs.push(job);
    }
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
  context.jobs.push(...jobs);
  const isWatched = context.asks("job.terminal-final", "job.never-lost");
  const watch = async (job: FollowedJob): Promise<void> => {
    await followToEnd(context, job);
    if (isWatched) await pollAgain(context, job, [LATER_POLL_MS]);
  };
  await Promise.all(jobs.map(watch));
}

/**
 * Asks again while an old job is still listed, a later one is not, or one that has ended is listed
 * as before, as a list may lag behind.
 */
async function listUntilFresh(
  context: Context,
  key: string,
  own: readonly OwnJob[],
): Promise<AskedList> {
  const { world } = context;
  const polling = {
    ask: () => askJobList(context, key, ""),
    isEnough(list: Exchange) {
      const ids = listedIds(list);
      const isFresh = ids.length <= LISTED_JOBS_MAX && staleJob(ids, own, list.sentAtMs) === null;
      if (list.status !== 200 || !isFresh || leftOut(list, own, 0) !== null) return false;
      return !listsAsOpen(list, context.jobs);
    },
    untilMs: world.now() + LIST_LAG_MS_MAX,
    waitMs: () => LAG_WAIT_MS,
  };
  return await pollList(world, polling, () => context.ask({ method: "GET", route: "me", key }));
}

/**
 * Asks once whether another account's key can read a job whose identifier it knows, an ended one
 * where there is one. The spec says nothing of that, so it is noted and not judged.
 */
async function noteReadByOther(context: Context, key: string): Promise<void> {
  const issued = context.jobs.filter(({ issuedId }) => issuedId !== null);
  const job = issued.find(({ end }) => end !== null) ?? issued.at(-1);
  const parameter = job?.issuedId;
  if (job === undefined || parameter == null) return;
  const exchange = await context.ask({ method: "GET", route: "job", parameter, key });
  const shown = jobIn(exchange);
  // Some name a job otherwise than when they accepted it.
  const names = [parameter, jobIn(job.polls.at(-1))?.id];
  if (shown === null || !names.includes(shown.id)) return;
  context.note(
    `${key}, a key of another account, can read a job by its identifier: ` +
      `GET ${routePath("job", parameter)} got ${exchange.status}. The interface does not say ` +
      "whether it may, so this breaks no promise",
  );
}
