/** When a job ended by its own account. */

import type { Job } from "../../../contract/decode/job-types.ts";
import { precisionMs } from "../../../contract/time/timestamps.ts";
import type { Entry } from "./ledger.ts";

/** Ours: of times that are written so coarsely the difference says little of a short job. */
const COARSE_MS = 1_000;

/**
 * News of an end may follow it by seconds (Spec §6 bounds no first delivery), so it is told by how
 * long the job says that it took: no clock is compared with another. Not before it was seen without
 * an end; nor, where times are of whole seconds, before it had run as long as it says.
 */
export function toldEndMs(
  { sentAtMs, openAtMs }: Pick<Entry, "sentAtMs" | "openAtMs">,
  { createdAt, finishedAt, durationMs }: Pick<Job, "createdAt" | "finishedAt" | "durationMs">,
): number | null {
  if (createdAt === null || finishedAt === null) return null;
  const toldMs = finishedAt.ms - createdAt.ms;
  const isCoarse = Math.max(precisionMs(createdAt), precisionMs(finishedAt)) >= COARSE_MS;
  const ranMs = isCoarse ? (durationMs ?? 0) : 0;
  return Math.max(openAtMs, sentAtMs + Math.max(toldMs, ranMs));
}
