/** Jobs that a run has submitted and followed, for witnesses that look at them again. */

import { jobIn } from "../../contract/decode/job.ts";
import type { EvidenceRecord } from "../../contract/evidence.ts";
import type { FileTried, JobHistory } from "../../contract/job-history.ts";
import { firstOfEach } from "../../contract/job-history.ts";
import { valuesOf } from "../../contract/observation.ts";
import type { EndState } from "../../contract/states.ts";
import { END_STATES, isTerminal } from "../../contract/states.ts";

export interface SubmittedJob {
  id: string;
  /** Addresses of its files, as the run saw them last. */
  fileUrls: readonly string[];
  /** What they answered then. */
  filesTried: readonly FileTried[];
}

/** A job that was seen to end, and the role whose key submitted it. */
export interface EndedJob {
  role: "caller" | "timeout";
  history: JobHistory;
}

/** Ours: the rarest first. */
const RANKS: readonly EndState[] = [...END_STATES].reverse();

/** Of each end, worker and role the job that was submitted first, and that no cancel may touch. */
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
  for (const job of firstOfEach(jobs, ({ history }) => history)) {
    const { issuedId, workerId, polls, cancelRequests } = job.history;
    const end = jobIn(polls.at(-1))?.state;
    if (issuedId === null || cancelRequests.length > 0 || !isTerminal(end)) continue;
    const kind = JSON.stringify([end, workerId, job.role]);
    if (!kinds.has(kind)) kinds.set(kind, { ...job, rank: RANKS.indexOf(end) });
  }
  return [...kinds.values()].sort((a, b) => a.rank - b.rank);
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
  const files = jobIn(polls.at(-1))?.files ?? [];
  return [{ id, fileUrls: files.map(({ url }) => url), filesTried }];
}
