/** Which worker plays which part, as far as the catalogue tells; the caller has the last word. */

import type { Part, WorkerPart } from "../../contract/run-plan.ts";
import type { ServiceWorker } from "./service-workers.ts";

export type Parts = Partial<Record<Part, WorkerPart>>;

/** Ours: long enough to be seen running, short enough to be waited for. */
const SLOW_SECONDS = 8;
/** Ours: so far beyond its limit nobody takes a run for one that ended by itself. */
const BEYOND_SECONDS = 40;

/** Proposals; a part for which the catalogue shows no worker is left out. */
export function proposedParts(workers: readonly ServiceWorker[]): Parts {
  const success = successOf(workers);
  const timed = workers.filter((each) => each.seconds !== null && each.timeoutSeconds !== null);
  const byLimit = timed.toSorted((a, b) => (a.timeoutSeconds ?? 0) - (b.timeoutSeconds ?? 0));
  const timeout = byLimit.find((each) => secondsBeyond(each) <= (each.seconds?.most ?? 0));
  const slow = byLimit.findLast((each) => (each.timeoutSeconds ?? 0) > 2 * SLOW_SECONDS);
  return {
    ...(success === null ? {} : { success: partOf(success, success.input ?? {}) }),
    ...(slow === undefined ? {} : { slow: withSeconds(slow, SLOW_SECONDS) }),
    ...(timeout === undefined ? {} : { timeout: withSeconds(timeout, secondsBeyond(timeout)) }),
  };
}

/** With room for a mark before others, then the cheapest; those that only sleep come last. */
function successOf(workers: readonly ServiceWorker[]): ServiceWorker | null {
  const rank = ({ marker, seconds }: ServiceWorker) =>
    (marker === null ? 1 : 0) + (seconds === null ? 0 : 2);
  const usable = workers.filter(({ input }) => input !== null);
  const price = ({ priceUsd }: ServiceWorker) => priceUsd ?? Number.MAX_VALUE;
  return usable.toSorted((a, b) => rank(a) - rank(b) || price(a) - price(b))[0] ?? null;
}

function secondsBeyond({ timeoutSeconds }: ServiceWorker): number {
  return (timeoutSeconds ?? 0) + BEYOND_SECONDS;
}

function withSeconds(worker: ServiceWorker, seconds: number): WorkerPart {
  const name = worker.seconds?.name ?? "";
  return partOf(worker, { ...worker.input, [name]: seconds });
}

export function partOf(worker: ServiceWorker, input: WorkerPart["input"]): WorkerPart {
  const { id, marker } = worker;
  return marker !== null && marker in input ? { id, input, marker } : { id, input };
}
