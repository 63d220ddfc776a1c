/** What the owner of a service needs to know: which job, when, asked what, told what. */

import type { PromiseGroup, PromiseId } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import type { Finding } from "../../contract/verdict.ts";

/** Groups whose requests all are about jobs. */
const GROUPS_OF_JOBS: readonly PromiseGroup[] = ["job", "timeout", "cancel"];

/** Of a whole load, told by figures: no single request contradicts them. */
const FIGURES: readonly PromiseId[] = ["load.throughput", "load.stable"];

const UTC_WITH_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Seen {
  at?: unknown;
  request?: unknown;
  answer?: unknown;
  job?: unknown;
}

/** How deliveries are named: in the service's own logs nothing else tells them apart. */
const DELIVERY = [/job_[0-9a-f]{8,}/, /attempt|POST at/];

/** What is missing, a line each; empty when all is there. */
export function missingEvidence(finding: Finding): string[] {
  const { promise, verdict, evidence, observations } = finding;
  const group = groupOf(promise);
  if (verdict !== "broken" || FIGURES.includes(promise)) return [];
  const seen = (Array.isArray(evidence.seen) ? evidence.seen : []) as readonly Seen[];
  const isTimed = seen.length > 0 && seen.every(({ at }) => UTC_WITH_MS.test(String(at)));
  const isTold = seen.every(({ request, answer }) => request !== undefined && answer !== undefined);
  const named = seen.some(({ job }) => typeof job === "string" && job !== "");
  const lacks = [
    observations.length > 0 ? [] : ["no request is quoted"],
    isTimed ? [] : ["no time in UTC to the millisecond"],
    isTold ? [] : ["a request without its answer"],
    named || !GROUPS_OF_JOBS.includes(group) ? [] : ["no job is named"],
    group !== "webhook" || DELIVERY.every((each) => each.test(JSON.stringify(finding)))
      ? []
      : ["no delivery is named by job and attempt"],
  ].flat();
  return lacks.map((what) => `${promise} is broken, and its evidence has ${what}`);
}
