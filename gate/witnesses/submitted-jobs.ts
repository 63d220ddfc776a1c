/** Jobs that a run has submitted and followed, for witnesses that look at them again. */

import { jobIn } from "../../contract/decode/job.ts";
import type { EvidenceRecord } from "../../contract/evidence.ts";
import type { FileTried, JobHistory } from "../../contract/job-history.ts";
import { valuesOf } from "../../contract/observation.ts";

export interface SubmittedJob {
  id: string;
  /** Addresses of its files, as the run saw them last. */
  fileUrls: readonly string[];
  /** What they answered then. */
  filesTried: readonly FileTried[];
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
