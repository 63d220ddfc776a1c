/** Jobs that a run has submitted and followed, for witnesses that look at them again. */

import { jobIn } from "../../contract/decode/job.ts";
import type { FileTried, JobHistory } from "../../contract/jobs/job-history.ts";
import { firstOfEach } from "../../contract/jobs/job-history.ts";
import { isBefore } from "../../contract/requests/exchange.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { valuesOf } from "../../contract/run/observation.ts";
import type { EndState, Variant } from "../../contract/states.ts";
import { END_STATES, isTerminal } from "../../contract/states.ts";

export interface SubmittedJob {
  id: string;
  /** Addresses of its files, as the run saw them last. */
  fileUrls: readonly string[];
  /** What they answered then. */
  filesTried: readonly FileTried[];
  /** The variant of a job that the run saw ended without files; null for any other. */
  withoutFiles: Variant | null;
}

/** A job that was seen to end, and the role whose key submitted it. */
export interface EndedJob {
  role: "caller" | "timeout";
  history: JobHistory;
}

/** Ours: the rarest first. */
const RANKS: readonly EndState[] = [...END_STATES].reverse();

/**
 * Of each end, worker and role the job that was submitted first, and that no cancel may touch any
 * more: what was cancelled as asked has ended like any other, and stays so. Then all others that
 * were cancelled: each may still be in a queue that was not told, by itself. Spec §3.1.
 */
export function endedJobs(records: readonly EvidenceRecord[]): readonly EndedJob[] {
  const observations = records.filter((record) => record.type === "observation");
  const trials = valuesOf(observations, "timeout.trial");
  const jobs: readonly EndedJob[] = [
    ...trials.flatMap(({ beyond, below }) =>
      [...beyond, ...below].map(({ history }) => ({ role: "timeout" as const, history })),
    ),
    ...valuesOf(observations, "contract.job").map((history) => {
      return { role: "caller" as const, history };
    }),
  ];
  const kinds = new Map<string, EndedJob & { rank: number }>();
  const alsoCancelled: EndedJob[] = [];
  for (const job of firstOfEach(jobs, ({ history }) => history)) {
    const { issuedId, workerId, polls } = job.history;
    const end = jobIn(polls.at(-1))?.state;
    if (issuedId === null || !isTerminal(end) || mayBeCancelled(job.history, end)) continue;
    const kind = JSON.stringify([end, workerId, job.role]);
    const history = { ...job.history, cancelRequests: [] };
    if (!kinds.has(kind)) kinds.set(kind, { ...job, history, rank: RANKS.indexOf(end) });
    else if (end === "cancelled") alsoCancelled.push({ ...job, history });
  }
  return [...[...kinds.values()].sort((a, b) => a.rank - b.rank), ...alsoCancelled];
}

/** Whether a request to cancel it may do something to the ended job still. */
function mayBeCancelled({ polls, cancelRequests }: JobHistory, end: EndState): boolean {
  if (end !== "cancelled") return cancelRequests.length > 0;
  const seen = polls.find((poll) => isTerminal(jobIn(poll)?.state));
  return seen === undefined || !cancelRequests.every((cancel) => isBefore(cancel, seen));
}

/** Accepted jobs, those first whose files were asked for, then others that have left some. */
export function submittedJobs(records: readonly EvidenceRecord[]): readonly SubmittedJob[] {
  const observations = records.filter((record) => record.type === "observation");
  const jobs = valuesOf(observations, "contract.job").flatMap(leftBy);
  const rank = ({ filesTried, fileUrls }: SubmittedJob) =>
    filesTried.length > 0 ? 0 : fileUrls.length > 0 ? 1 : 2;
  return jobs.toSorted((a, b) => rank(a) - rank(b));
}

function leftBy({ issuedId: id, polls, filesTried = [] }: JobHistory): readonly SubmittedJob[] {
  if (id === null) return [];
  const job = jobIn(polls.at(-1));
  const files = job?.files ?? [];
  const withoutFiles = files.length === 0 && isTerminal(job?.state) ? (job?.variant ?? null) : null;
  return [{ id, fileUrls: files.map(({ url }) => url), filesTried, withoutFiles }];
}
