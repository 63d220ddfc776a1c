/** Choices that bend a decision of the service without breaking a promise, as hooks. */

import { isObject } from "../contract/decode/decoded.ts";
import { LISTED_JOBS_MAX } from "../contract/plans.ts";
import type { Clock } from "../contract/time/clock.ts";
import { MICRO_USD_PER_CREDIT } from "./accounts/account.ts";
import type { Performance } from "./catalogue/worker.ts";
import type { Choices } from "./choices.ts";
import { wholeMs } from "./clock.ts";
import type { Hooks } from "./hooks.ts";
import type { Answer, AnswerContext } from "./http.ts";
import { type Cost, type Job, totalMicroUsd } from "./jobs/job.ts";
import { tokenBucket } from "./limiters/buckets.ts";
import type { ReferenceOptions } from "./options.ts";
import type { Random } from "./random.ts";

/**
 * How long after its limit a run is stopped, stated: in a sweep each second, or, ours, just within
 * the default tolerances of 2 s late and 0.25 s early. Source: Plumbline's docs/target-file.md.
 */
const STOPPED_LATE_MS = {
  "at-once": null,
  "each-second": (random: Random) => random() * 1_000,
  late: () => 1_900,
  early: () => -100,
} as const;

/**
 * Ours: within the default tolerances of 2 s or 10 % late and 0.5 s early, by what a way takes.
 */
const WAITS = {
  late: (ms: number | null) => (ms === null ? null : ms + Math.max(600, 0.03 * ms)),
  early: (ms: number | null) => (ms === null ? null : ms - 250),
} as const;

/** Ours: a tenth of a second of infrastructure, and what a customer of long standing pays less. */
const MICRO_USD_PER_100_MS = 40;
const DISCOUNT = 0.1;

/** Ours: each of the started seconds, and what a run costs at the least. */
const MICRO_USD_PER_SECOND = 400;
const LEAST_MICRO_USD = 12_000;

const COSTS = {
  seconds: (cost: Cost, job: Job) => {
    const seconds = Math.max(1, Math.ceil(ranMs(job) / 1_000));
    if (totalMicroUsd(cost) === 0) return cost;
    return { ...cost, infraMicroUsd: cost.infraMicroUsd + seconds * MICRO_USD_PER_SECOND };
  },
  least: (cost: Cost) => {
    const total = totalMicroUsd(cost);
    const lacks = total === 0 ? 0 : Math.max(0, LEAST_MICRO_USD - total);
    return { ...cost, runMicroUsd: cost.runMicroUsd + lacks };
  },
  time: (cost: Cost, job: Job) => {
    const moreMicroUsd = Math.ceil(ranMs(job) / 100) * MICRO_USD_PER_100_MS;
    if (totalMicroUsd(cost) === 0) return cost;
    return { ...cost, infraMicroUsd: cost.infraMicroUsd + moreMicroUsd };
  },
  discount: (cost: Cost) => ({ ...cost, runMicroUsd: cost.runMicroUsd * (1 - DISCOUNT) }),
} as const;

function ranMs({ startedAtMs, finishedAtMs }: Job): number {
  return startedAtMs === null || finishedAtMs === null ? 0 : finishedAtMs - startedAtMs;
}

const ROUNDINGS = { nearest: Math.round, up: Math.ceil } as const;

/** What is taken in tokens is whole ones, whatever a job says; else it says whole credits. */
function roundedCharges({ chargeStep, balanceUnit, tokenWorth }: Choices): Partial<Hooks> {
  if (chargeStep === "none") return {};
  const round = (microUsd: number, step: number) => {
    // Quotients of binary fractions miss whole numbers by a little.
    return step * ROUNDINGS[chargeStep](Number((microUsd / step).toFixed(6)));
  };
  if (balanceUnit === "tokens") {
    const token = MICRO_USD_PER_CREDIT / Number(tokenWorth);
    // Of a token that is worth many jobs each job takes a part.
    return tokenWorth === "0.075" ? {} : { charge: (microUsd) => round(microUsd, token) };
  }
  return {
    cost(cost) {
      const total = round(totalMicroUsd(cost), MICRO_USD_PER_CREDIT);
      const infraMicroUsd = Math.min(total, cost.infraMicroUsd);
      return { runMicroUsd: total - infraMicroUsd, infraMicroUsd };
    },
  };
}

/** Ours: a load has some, and single jobs hardly one. */
const PAID_EACH = 700;
const PAID_CREDITS = { "each-700th": 100, fees: -100 } as const;

/** Accounts that are topped up by themselves, or that pay for more than their jobs. */
function paidAccounts(credits: number): Partial<Hooks> {
  let charges = 0;
  return {
    charge(microUsd, { account }) {
      charges += 1;
      if (charges % PAID_EACH === 0) account.pay(credits);
      return microUsd;
    },
  };
}

/** Ours: as the choice's name says. */
const FAILS_EACH = 97;

function failingRuns(): Partial<Hooks> {
  let completed = 0;
  return {
    ending(state, job) {
      if (state !== "completed") return state;
      completed += 1;
      if (completed % FAILS_EACH !== 0) return state;
      job.performance = { ...LOST_MACHINE };
      return "failed";
    },
  };
}

const LOST_MACHINE: Performance = {
  outcome: { kind: "empty" },
  meta: {},
  files: [],
  error: { code: "MACHINE_LOST", message: "the machine of the run was lost" },
};

export function lawfulHooks(
  { choices, timeScale }: ReferenceOptions,
  clock: Clock,
  random: Random,
): readonly Partial<Hooks>[] {
  const { listLength, listLag, submitTime, limitCheck, extraFields } = choices;
  const hooks: Partial<Hooks>[] = [];
  const olderThan = (seconds: number) => (job: Job) =>
    wholeMs(clock) - job.submittedAtMs >= seconds * 1_000;
  if (listLag !== "0") {
    const isIn = olderThan(Number(listLag));
    hooks.push({ listed: (jobs) => jobs.filter(isIn) });
  }
  if (Number(listLength) < LISTED_JOBS_MAX) {
    hooks.push({ listed: (jobs) => jobs.slice(0, Number(listLength)) });
  }
  if (submitTime !== "0") {
    const takesMs = Number(submitTime) * 1_000;
    hooks.push({ delayMs: (ms, { reason }) => (reason === "accepted" ? ms + takesMs : ms) });
  }
  const stoppedLateMs = STOPPED_LATE_MS[limitCheck];
  if (stoppedLateMs !== null) {
    hooks.push({ limitMs: (limitMs) => limitMs + stoppedLateMs(random) * timeScale });
  }
  const { webhookWait, retryAfterExtra, foundAfter, runsFail, costBy } = choices;
  if (webhookWait !== "exact") hooks.push({ retryWaitMs: WAITS[webhookWait] });
  if (retryAfterExtra !== "0") {
    hooks.push({ retryAfterSeconds: (seconds) => seconds + Number(retryAfterExtra) });
  }
  if (foundAfter !== "0") {
    const isKnown = olderThan(Number(foundAfter));
    hooks.push({ visible: (visible, job) => visible && isKnown(job) });
  }
  if (runsFail !== "no") hooks.push(failingRuns());
  if (costBy !== "price") hooks.push({ cost: COSTS[costBy] });
  hooks.push(roundedCharges(choices));
  const { payments, booked } = choices;
  // A fee amid charges that come as one sum is told from them by nobody, and no load has it again.
  if (payments !== "no" && booked === "singly") hooks.push(paidAccounts(PAID_CREDITS[payments]));
  if (choices.times === "varying") hooks.push(varyingTimes(timeScale, random));
  if (choices.keylessLimit !== "none") hooks.push(keylessLimit(clock));
  if (extraFields === "yes") hooks.push(MORE_FIELDS);
  return hooks;
}

/** Caches in front of the service: they keep whatever it answers, also what a fault made of it. */
export function cachingHooks(
  { choices: { jobViews, creditViews }, timeScale }: ReferenceOptions,
  clock: Clock,
): readonly Partial<Hooks>[] {
  const hooks: Partial<Hooks>[] = [];
  if (jobViews !== "0") {
    const shows = ({ request, job }: AnswerContext) => (request.route === "job" ? job : null);
    hooks.push(cachedViews(Number(jobViews) * 1_000, clock, shows));
  }
  if (creditViews !== "0") {
    const keptMs = Number(creditViews) * 1_000 * timeScale;
    const shows = ({ request, key }: AnswerContext) => (request.route === "credits" ? key : null);
    hooks.push(cachedViews(keptMs, clock, shows));
  }
  return hooks;
}

/** Ours: half of the runs take between 0.7 and 1.4 times what is stated; some four times that. */
const RUN_SPREAD = 0.5;
/** Ours: a run stays on its side of its limit by so much of it. */
const LIMIT_SHARE = 0.1;
/** Ours: mean times. */
const MEANS = { queueMs: 150, answerMs: 15 } as const;
/** Ours: beside whatever else makes a retry late, still within the tolerance of a tenth. */
const RETRY_SHARE_MAX = 0.04;

function varyingTimes(timeScale: number, random: Random): Partial<Hooks> {
  const exponential = (mean: number) => -mean * Math.log(1 - random());
  const normal = () => Math.sqrt(exponential(2)) * Math.cos(2 * Math.PI * random());
  return {
    runMs(ms, { worker }) {
      const limitMs = worker.timeoutSeconds * 1_000 * timeScale;
      const varied = ms * Math.exp(RUN_SPREAD * normal());
      return ms > limitMs
        ? Math.max(varied, limitMs * (1 + LIMIT_SHARE))
        : Math.min(varied, Math.max(ms, limitMs * (1 - LIMIT_SHARE)));
    },
    queueMs: (ms) => ms + exponential(MEANS.queueMs * timeScale),
    delayMs: (ms) => ms + exponential(MEANS.answerMs),
    retryWaitMs: (ms) => (ms === null ? null : ms * (1 + RETRY_SHARE_MAX * random())),
  };
}

const MORE_FIELDS: Partial<Hooks> = {
  answer: (answer) =>
    isObject(answer.body) ? { ...answer, body: { ...answer.body, ...MORE } } : answer,
  webhook: (message) =>
    message === null ? null : { ...message, body: { ...message.body, ...MORE, attempt: 1 } },
};

const MORE = { request_id: "req-7f3a", _links: { docs: "/docs" }, region: null } as const;

/** Ours: what gateways let an address do that has not shown who it is. */
const KEYLESS = { sustained: 5, burst: 10, refusedCount: false } as const;

/** The specification's limits are per key; whoever has none may be limited by something else. */
function keylessLimit(clock: Clock): Partial<Hooks> {
  const take = tokenBucket(KEYLESS);
  return {
    answer(answer, { reason }) {
      if (reason !== "missing-key" && reason !== "invalid-key") return answer;
      const { admitted, waitMs } = take(clock.nowMs());
      if (admitted) return answer;
      const headers = { "retry-after": String(Math.ceil(waitMs / 1_000)) };
      return { status: 429, headers, body: { error: "rate_limited" } };
    },
  };
}

/** What was shown of something is shown for so long, whatever became of it meanwhile. */
function cachedViews(
  keptMs: number,
  clock: Clock,
  shows: (context: AnswerContext) => object | null,
): Partial<Hooks> {
  const views = new WeakMap<object, { atMs: number; shown: Answer }>();
  return {
    answer(answer: Answer, context: AnswerContext) {
      const shown = context.reason === "served" ? shows(context) : null;
      if (shown === null) return answer;
      const nowMs = wholeMs(clock);
      const view = views.get(shown);
      if (view !== undefined && nowMs - view.atMs < keptMs) return view.shown;
      views.set(shown, { atMs: nowMs, shown: answer });
      return answer;
    },
  };
}
