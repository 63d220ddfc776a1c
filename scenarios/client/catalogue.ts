/** Reads the worker list and the details of the plan's workers, once, for all steps that ask. */

import { listedWorkers } from "../../contract/answers/listed-workers.ts";
import { creditsPerRun } from "../../contract/decode/credit-price.ts";
import type { WorkerDetail, WorkerEntry } from "../../contract/decode/worker.ts";
import { decodeWorker, PER_RUN } from "../../contract/decode/worker.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import { boundsOf } from "../../contract/judges/timeout/bounds.ts";
import type { Price } from "../../contract/limits/budget.ts";
import { jsonBody } from "../../contract/requests/exchange.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import { endWithin, ownMs, RUN_LIMIT_DEFAULT_SECONDS } from "../../contract/time/promised-times.ts";
import type { Context } from "./context.ts";
import type { Submission } from "./submit.ts";

export interface Catalogue {
  /** In the order in which they were asked for. */
  pages: readonly StatusCase[];
  /** Of all pages on which the plan's workers are; empty where the list could not be read. */
  entries: readonly WorkerEntry[];
  /** By worker_id, of each worker that the plan names. */
  details: ReadonlyMap<string, { answer: StatusCase; detail: WorkerDetail | null }>;
}

/** Ours: queueing and start-up in stated time, and the lag of the observer. */
const MARGIN_MS = 60_000;
const LAG_MARGIN_MS = 10_000;
/** Ours: the other half is for the queue. */
const RUN_MARGIN_SHARE = 0.5;
/** Ours: no profile waits longer for one job. */
const WAIT_MAX_MS = { quick: 60_000, standard: 300_000, soak: 300_000 };

/** `isWhole`: the list to its end, whichever workers the plan names. */
export async function readCatalogue(context: Context, isWhole = false): Promise<Catalogue> {
  const ids = [...new Set(PARTS.flatMap((part) => context.plan.workers[part]?.id ?? []))];
  const [listed, ...answers] = await Promise.all([
    readWorkerList(context, isWhole ? null : ids),
    ...ids.map((id) => readDetail(context, id)),
  ]);
  const details = new Map(ids.map((id, index) => [id, answers[index] ?? NOT_READ] as const));
  return { ...listed, details };
}

/** The pages up to the one where the last of those workers is; all of them for null. */
export async function readWorkerList(context: Context, ids: readonly string[] | null) {
  const pages: StatusCase[] = [];
  const askPage = async (query: string) => {
    const isFirst = query === "";
    if (!isFirst && context.world.now() > context.deadlineAtMs) return null;
    const call = { method: "GET", route: "workers", key: context.caller } as const;
    const asked = await context.askAgain(isFirst ? call : { ...call, query });
    pages.push({ what: isFirst ? "the worker list" : `the worker list, ?${query}`, ...asked });
    return asked.attempts.at(-1) ?? null;
  };
  const onShort = (why: string) => context.note(`the worker list was not read to its end: ${why}`);
  const entries = await listedWorkers(askPage, ids, onShort);
  return { pages, entries };
}

const NOT_READ = { answer: { what: "not read", attempts: [] }, detail: null };

export async function readDetail(context: Context, id: string) {
  const asked = await context.askAgain({
    method: "GET",
    route: "worker",
    parameter: id,
    key: context.caller,
  });
  const last = asked.attempts.at(-1);
  const detail = last?.status === 200 ? decodeWorker(jsonBody(last)).value : null;
  return { answer: { what: `worker "${id}"`, ...asked }, detail };
}

/** What it takes to submit a job of a part; null where the plan has no such part. */
export function submissionOf(
  context: Context,
  catalogue: Catalogue,
  part: Part,
): Submission | null {
  const worker = context.plan.workers[part];
  if (worker === undefined) return null;
  const price = priceOf(catalogue, worker.id);
  return { worker, part, price, ...waitsOf(context, catalogue, worker.id) };
}

/** Short jobs that complete, the usual one first. */
const TELLING_PARTS = ["success", "list", "empty", "files"] as const;

/**
 * A short job whose cost tells which figure is the balance: of a worker that is free of charge it
 * tells nothing. null where there is none.
 */
export function tellingJob<Job extends { price: Price }>(
  jobOf: (part: Part) => Job | null,
): Job | null {
  const jobs = TELLING_PARTS.flatMap((part) => jobOf(part) ?? []);
  return jobs.find(({ price: { usd, credits } }) => usd !== 0 && credits !== 0) ?? null;
}

export function tellingSubmission(context: Context, catalogue: Catalogue): Submission | null {
  return tellingJob((part) => submissionOf(context, catalogue, part));
}

/** What list and detail tell of the price of a worker's runs. */
export function priceOf({ entries, details }: Catalogue, workerId: string): Price {
  const answer = details.get(workerId)?.answer.attempts.at(-1);
  return {
    usd: entries.find(({ id }) => id === workerId)?.priceUsd ?? null,
    credits: answer?.status === 200 ? creditsPerRun(jsonBody(answer)) : null,
  };
}

/**
 * Whether a run takes credits that are due before it: no lack of them keeps jobs of a worker from
 * running that is free of charge, or whose price is neither told nor promised by its billing mode.
 * One that is not listed may be its owner's own, and free. Spec §2.2.
 */
export function needsCredits(known: Catalogue, workerId: string): boolean {
  const { usd, credits } = priceOf(known, workerId);
  if (usd === 0 || credits === 0) return false;
  const entry = known.entries.find(({ id }) => id === workerId);
  const isPromised = entry !== undefined && (entry.billingMode ?? PER_RUN) === PER_RUN;
  return usd !== null || credits !== null || isPromised;
}

/** The longest run of a worker. */
export function runLimitMs(context: Context, catalogue: Catalogue, workerId: string): number {
  const seconds = catalogue.details.get(workerId)?.detail?.timeoutSeconds;
  return (seconds ?? RUN_LIMIT_DEFAULT_SECONDS) * context.plan.times.secondMs;
}

/** How long to wait for a job's end, and after how long in one state it will not end any more. */
function waitsOf({ plan }: Context, catalogue: Catalogue, workerId: string) {
  const { times, profile } = plan;
  const marginMs = ownMs(times, MARGIN_MS) + LAG_MARGIN_MS;
  const endMs = (endWithin(plan) ?? 0) + LAG_MARGIN_MS;
  const stated = catalogue.details.get(workerId)?.detail?.timeoutSeconds ?? null;
  const { limitMs, lateMs } = boundsOf(stated ?? RUN_LIMIT_DEFAULT_SECONDS, times);
  return {
    waitMs: Math.min(Math.max(limitMs + marginMs, endMs), WAIT_MAX_MS[profile]),
    lostAfterMs: stated === null ? null : limitMs + Math.max(lateMs, marginMs * RUN_MARGIN_SHARE),
  };
}
