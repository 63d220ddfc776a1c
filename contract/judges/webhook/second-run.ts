/** Whether a job was told of by two runs of it, whose deliveries took steps of one script. */

import { decodeJob } from "../../decode/job.ts";
import type { Delivery } from "../../jobs/delivery.ts";
import { MACHINES_DIFFER_MS } from "../../time/timestamps.ts";
import { bodyOf, isTaken } from "./attempts.ts";
import type { WebhookCase } from "./case.ts";

/**
 * Two ends, by the job's own time, of which the other one is told after the first was taken, or
 * between attempts that tell the first. Attempts may also each tell an end of their own.
 */
export function hasSecondRun({ deliveries }: Pick<WebhookCase, "deliveries">): boolean {
  if (deliveries.length < 2) return false;
  const ends = deliveries.map(toldEndMs);
  const [firstMs = null] = ends;
  const isOther = (ms: number | null) =>
    ms !== null && firstMs !== null && Math.abs(ms - firstMs) > MACHINES_DIFFER_MS;
  const other = ends.findIndex(isOther);
  if (other === -1) return false;
  return deliveries.slice(0, other).some(isTaken) || ends.slice(other).includes(firstMs);
}

function toldEndMs(delivery: Delivery): number | null {
  return decodeJob(bodyOf(delivery)).value?.finishedAt?.ms ?? null;
}
