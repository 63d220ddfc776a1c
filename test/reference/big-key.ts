/** The reference service's key with room enough that its limits play no part, and its jobs. */

import type { ReferenceService } from "../../reference/service.ts";

export function bigKey({ keys }: Pick<ReferenceService, "keys">): string {
  return keys.find(({ name }) => name === "big")?.value ?? "";
}

/** Identifiers as the list shows them. */
export async function listedJobs(service: ReferenceService): Promise<string[]> {
  const headers = { "x-api-key": bigKey(service) };
  const response = await fetch(`${service.baseUrl}/v1/jobs`, { headers });
  const { jobs } = (await response.json()) as { jobs: { job_id: string }[] };
  return jobs.map(({ job_id }) => job_id);
}
