/** One search of the list of jobs for a submission, and of the jobs that may be it. */

import { areWholeList, readPages } from "../../../contract/answers/read-pages.ts";
import type { JobList } from "../../../contract/decode/job-list.ts";
import { decodeJobList } from "../../../contract/decode/job-list.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../../contract/requests/exchange.ts";
import type { ProbeRequest } from "../../client/paced-client.ts";
import type { Resolution } from "../../events.ts";
import { isJson } from "../../outcome.ts";
import type { LostSubmission, Surroundings } from "../../reconcile.ts";
import {
  candidatesIn,
  evidenceIn,
  findSubmission,
  isAnothersRun,
  reachesBack,
} from "../../reconcile.ts";
import type { Parts, Run } from "./run.ts";
import { submittedAtMs } from "./run.ts";

/** Ours: how long an answer may be waited for when there is no time left. */
const ANSWER_WAIT_MS = 5_000;
/** Ours: the hundred jobs that are listed, four to a page. Spec §4.5. */
const PAGES_MAX = 25;
/** Ours: each is polled by a request of its own. */
const CANDIDATES_MAX = 3;

export interface Found {
  jobId: string;
  how: Resolution;
}

/** What the list said last of a submission whose job it did not show. */
export interface Unfound {
  /** The last answer of the list, its first page; null when it was not asked. */
  list: Exchange | null;
  /** Whether a job that was listed, or may be where nobody looked, may be the submission's. */
  mayBeListed: boolean;
}

interface Bounds {
  lostAtMs: number;
  untilMs: number;
  /** Jobs that showed to be another run's: they are not asked for again. */
  others: Set<string>;
}

type Ask = (request: ProbeRequest) => Promise<Exchange | null>;

export async function search(parts: Parts, run: Run, bounds: Bounds): Promise<Found | Unfound> {
  const { clock, journal, knowledge } = parts;
  const { workerId, mark, token } = run.intent;
  const { lostAtMs, others } = bounds;
  const ask = asking(parts, bounds.untilMs);
  const lost: LostSubmission = { workerId, mark, token, sentAtMs: submittedAtMs(run), lostAtMs };
  const isKnown = (jobId: string) => journal.knowsJob(jobId) || others.has(jobId);
  const around: Surroundings = { isKnown, offset: knowledge.offset(clock.nowMs()) };
  const shown = (page: Exchange) => findSubmission(jobsOf([page]), lost, around);
  const read: Exchange[] = [];
  const pages = await readPages({
    ask: (query) => ask({ route: "jobs", ...(query === "" ? {} : { query }) }),
    isEnough(page) {
      read.push(page);
      return shown(page) !== null || reachesBack(jobsOf(read), lost, around);
    },
    pagesMax: PAGES_MAX,
  });
  const [first = null] = pages;
  if (first === null || !isJson(first)) return { list: first, mayBeListed: false };
  const jobs = jobsOf(pages);
  const found = findSubmission(jobs, lost, around);
  if (found !== null) return found;
  const candidates = candidatesIn(jobs, lost, around);
  const isWhole = isWholeList(pages) || (areLists(read) && reachesBack(jobs, lost, around));
  // Nothing could show that one of them is the submission's.
  if (mark === null && token === null) {
    return { list: first, mayBeListed: candidates.length > 0 || !isWhole };
  }
  for (const jobId of candidates.slice(0, CANDIDATES_MAX)) {
    const answer = await ask({ route: "job", parameter: jobId });
    if (answer === null || !isSuccess(answer)) continue;
    const how = evidenceIn(answer.body, lost);
    if (how !== null) return { jobId, how };
    if (isAnothersRun(answer.body, lost)) others.add(jobId);
  }
  return { list: first, mayBeListed: !isWhole || candidates.some((id) => !others.has(id)) };
}

/**
 * Sends until that time. A submission of an earlier process is looked for even when its deadline
 * passed meanwhile: the whole search then has the time of one answer.
 */
function asking({ client, clock, signal }: Parts, untilMs: number): Ask {
  const byMs = Math.max(untilMs, clock.nowMs() + ANSWER_WAIT_MS);
  return async (request) => {
    const leftMs = byMs - clock.nowMs();
    return leftMs > 0 ? client.send({ ...request, timeoutMs: leftMs }, byMs, signal) : null;
  };
}

function jobsOf(pages: readonly Exchange[]): JobList {
  const lists = pages.map((page) => (isSuccess(page) ? decodeJobList(jsonBody(page)) : null));
  const all = lists.flatMap((list) => list?.jobs ?? []);
  // Pages shift while they are read, and may show a job twice.
  const jobs = [...new Map(all.map((job) => [job.id, job])).values()];
  return { jobs, looksPaginated: lists.some((list) => list?.looksPaginated) };
}

function isWholeList(pages: readonly Exchange[]): boolean {
  const last = pages.at(-1);
  const list = last === undefined ? null : decodeJobList(jsonBody(last));
  return areLists(pages) && areWholeList(pages, list?.looksPaginated === true);
}

/** A page that can't be read as one may show anything. */
function areLists(pages: readonly Exchange[]): boolean {
  return pages.every((page) => decodeJobList(jsonBody(page)) !== null);
}
