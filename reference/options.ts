/** Options of the embedded service with their defaults and limits. */

import type { RateLimit } from "../contract/plans.ts";
import type { Variant } from "../contract/states.ts";
import { type Choices, fillChoices } from "./choices.ts";

export interface ReferenceOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  variant: Variant;
  /** Share of the stated time in which run times, run limits and webhook waits pass. */
  timeScale: number;
  /** Keys and chance are derived from it, so that a run can be repeated. */
  seed: number;
  choices: Choices;
  /** Names of the faults that are on from the start. */
  faults: readonly string[];
  /** Secret of the webhook signatures. */
  signingSecret: string;
  /** Jobs that run at once over all workers. */
  concurrency: number;
  /** Runs of a worker at once, where that is to differ from its own. */
  slots: Readonly<Record<string, number>>;
  /** Of single keys, by their names: requests a second, and at once. */
  limits: Readonly<Record<string, RateLimit>>;
  /** Runs that go at full speed; more share it evenly. Infinity: runs do not slow each other. */
  processors: number;
  /** Terminal jobs that are kept; beyond them the oldest goes first. */
  jobsKeptMax: number;
  /** Open connections; who opens one more has it closed at once. */
  connectionsMax: number;
  /** How long a request may take to arrive, its header and its body; real time. */
  requestLimitMs: number;
}

export type GivenOptions = Partial<Omit<ReferenceOptions, "choices">> & {
  choices?: Partial<Choices>;
};

/** Ours: a soak of half an hour at 50 jobs a second fits, in some hundred MB. */
const JOBS_KEPT_MAX = 100_000;
/** Ours: high enough that the limits of single workers are what makes jobs queue. */
const CONCURRENCY = 400;

/** Ours: a slow line needs less for what is at most a megabyte; who drips holds a connection. */
const REQUEST_LIMIT_MS = 30_000;

/** Ours: more than a load of some thousand requests a second holds. */
const CONNECTIONS_MAX = 2_000;

export function fillOptions(given: GivenOptions): ReferenceOptions {
  const options: ReferenceOptions = {
    host: given.host ?? "127.0.0.1",
    port: given.port ?? 0,
    variant: given.variant ?? "B",
    timeScale: given.timeScale ?? 1,
    seed: given.seed ?? 1,
    choices: fillChoices(given.choices),
    faults: given.faults ?? [],
    signingSecret: given.signingSecret ?? `reference-signing-secret-${given.seed ?? 1}`,
    concurrency: given.concurrency ?? CONCURRENCY,
    slots: given.slots ?? {},
    limits: given.limits ?? {},
    processors: given.processors ?? Number.POSITIVE_INFINITY,
    jobsKeptMax: given.jobsKeptMax ?? JOBS_KEPT_MAX,
    connectionsMax: given.connectionsMax ?? CONNECTIONS_MAX,
    requestLimitMs: given.requestLimitMs ?? REQUEST_LIMIT_MS,
  };
  checkOptions(options);
  return options;
}

function checkOptions(options: ReferenceOptions): void {
  const { timeScale, variant, concurrency, jobsKeptMax, port, slots, processors } = options;
  const { requestLimitMs, limits } = options;
  if (!(timeScale > 0 && timeScale <= 1)) {
    throw new Error(`timeScale ${timeScale}: expected a number above 0 and at most 1`);
  }
  if (variant !== "A" && variant !== "B") {
    throw new Error(`unknown variant "${String(variant)}"; expected one of: A, B`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`port ${port}: expected a whole number from 0 to 65535`);
  }
  if (!(processors >= 1)) {
    throw new Error(`processors ${processors}: expected a number of at least 1`);
  }
  for (const [name, value] of Object.entries({
    concurrency,
    jobsKeptMax,
    requestLimitMs,
    ...slots,
    ...Object.fromEntries(Object.entries(limits).flatMap(([key, limit]) => numbersOf(key, limit))),
  })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new Error(`${name} ${value}: expected a whole number of at least 1`);
    }
  }
}

function numbersOf(key: string, { sustained, burst }: RateLimit): [string, number][] {
  return [
    [`sustained of ${key}`, sustained],
    [`burst of ${key}`, burst],
  ];
}
