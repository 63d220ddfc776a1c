/** Jobs that a run has submitted and followed, for witnesses that look at them again. */

import { decodeJob } from "../../contract/decode/job.ts";
import type { EvidenceRecord } from "../../contract/evidence.ts";
import { jsonBody } from "../../contract/exchange.ts";
import type { JobHistory } from "../../contract/job-history.ts";
import { valuesOf } from "../../contract/observation.ts";

/** Identifiers of accepted jobs, those first that were seen to have left files. */
export function submittedJobs(records: readonly EvidenceRecord[]): readonly string[] {
  const observations = records.filter((record) => record.type === "observation");
  const jobs = valuesOf(observations, "contract.job");
  const sorted = [...jobs.filter(hasFiles), ...jobs.filter((job) => !hasFiles(job))];
  return sorted.flatMap(({ issuedId }) => issuedId ?? []);
}

function hasFiles({ polls }: JobHistory): boolean {
  const last = polls.at(-1);
  if (last === undefined) return false;
  return (decodeJob(jsonBody(last)).value?.files ?? []).length > 0;
}
