/** Which worker plays which part, as far as the catalogue tells; the caller has the last word. */

import type { Part, WorkerPart } from "../../contract/run/run-plan.ts";
import type { ServiceWorker } from "./service-workers.ts";

export type Parts = Partial<Record<Part, WorkerPart>>;

/** Ours: long enough to be seen running, short enough to be waited for. */
const SLOW_SECONDS = 8;
/** Ours: so far beyond its limit nobody takes a run for one that ended by itself. */
const BEYOND_SECONDS = 40;

/** Ours: a worker whose name says no more than that it fails, as "always-fail" or "force-error". */
const FAILS = /^(fail(s|ed|er|ing|ure)?|error|crash(es|ing)?)$/;
const BESIDE = /^(always|must|will|force[ds]?|on|purpose|demo|test|job|task|tool|worker)$/;

function isToFail({ id, name }: ServiceWorker): boolean {
  return [id, name].some((each) => {
    const words = each
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word !== "");
    return words.some((word) => FAILS.test(word)) && words.every((word) => isOfFailing(word));
  });
}

function isOfFailing(word: string): boolean {
  return FAILS.test(word) || BESIDE.test(word);
}

/** Proposals; a part for which the catalogue shows no worker is left out. */
export function proposedParts(all: readonly ServiceWorker[]): Parts {
  const failing = all.find((each) => each.input !== null && isToFail(each));
  const workers = all.filter((each) => !isToFail(each));
  const success = successOf(workers);
  const byLimit = workers
    .filter(({ timeoutSeconds }) => timeoutSeconds !== null)
    .toSorted((a, b) => limitOf(a) - limitOf(b));
  const roomy = byLimit.filter((each) => limitOf(each) > 2 * SLOW_SECONDS);
  const slow = firstRunning(roomy.toReversed(), () => SLOW_SECONDS);
  const timeout = firstRunning(byLimit, (each) => limitOf(each) + BEYOND_SECONDS);
  return {
    ...(success === null ? {} : { success: partOf(success, success.input ?? {}) }),
    ...(slow === null ? {} : { slow }),
    ...(timeout === null ? {} : { timeout }),
    ...(failing === undefined ? {} : { failure: partOf(failing, failing.input ?? {}) }),
  };
}

function limitOf({ timeoutSeconds }: ServiceWorker): number {
  return timeoutSeconds ?? 0;
}

/** With room for a mark before others, then the cheapest; those that only sleep come last. */
function successOf(workers: readonly ServiceWorker[]): ServiceWorker | null {
  const rank = ({ marker, seconds }: ServiceWorker) =>
    (marker === null ? 1 : 0) + (seconds === null ? 0 : 2);
  const usable = workers.filter(({ input }) => input !== null);
  const price = ({ priceUsd }: ServiceWorker) => priceUsd ?? Number.MAX_VALUE;
  return usable.toSorted((a, b) => rank(a) - rank(b) || price(a) - price(b))[0] ?? null;
}

/** The first worker whose schema lets it run for that long. */
function firstRunning(
  workers: readonly ServiceWorker[],
  secondsOf: (worker: ServiceWorker) => number,
): WorkerPart | null {
  const parts = workers.flatMap((worker) => {
    if (worker.input === null || worker.seconds === null) return [];
    const input = { ...worker.input, [worker.seconds]: secondsOf(worker) };
    return worker.accepts(input) ? [partOf(worker, input)] : [];
  });
  return parts[0] ?? null;
}

export function partOf(worker: ServiceWorker, input: WorkerPart["input"]): WorkerPart {
  const { id, marker } = worker;
  return marker !== null && marker in input ? { id, input, marker } : { id, input };
}
