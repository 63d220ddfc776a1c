/**
 * Faults that only the keys of one plan meet, and others never: what a service does for an account
 * may hang on its plan. Jobs that a load can't find are lost to it: hence the companion.
 */

import { isObject } from "../../contract/decode/decoded.ts";
import { runPrice } from "../catalogue/worker.ts";
import type { Hooks } from "../hooks.ts";
import type { AnswerContext } from "../http.ts";
import type { Job } from "../jobs/job.ts";
import { isDone } from "../jobs/job.ts";
import { accepted, all, at, because, onAnswer, onBody, without, withStatus } from "./answers.ts";
import { type Fault, type FaultScene, faults, faultsOf, UNDER_LOAD } from "./fault.ts";
import { completed, onJob, withoutResult } from "./job-views.ts";

/** Whom a fault strikes. */
interface Struck {
  job(job: Job): boolean;
  /** Whose request it is. */
  asker(context: Pick<AnswerContext, "key">): boolean;
  /** Whose value this is. */
  value(apiKey: string | undefined): boolean;
}

/** Hooks for the free keys, which are the slowest: of a load they carry the fewest jobs. */
const ofFreeKeys =
  (hooks: (struck: Struck) => Partial<Hooks>) =>
  ({ keys }: FaultScene): Partial<Hooks> => {
    const free = keys.filter(({ plan }) => plan === "free");
    const names = new Set(free.map(({ name }) => name));
    const values = new Set(free.map(({ value }) => value));
    return hooks({
      job: ({ keyName }) => names.has(keyName),
      asker: ({ key }) => key !== null && names.has(key.name),
      value: (apiKey) => apiKey !== undefined && values.has(apiKey),
    });
  };

const withoutPrices = (entries: unknown) =>
  Array.isArray(entries)
    ? entries.map((each) => (isObject(each) ? without(each, "price_per_run_usd") : each))
    : entries;

const OF_LIMITS = {
  seenWith: ["timeout.under-load"],
  companions: ["timeout.under-load"],
} as const;

const JOBS: readonly Fault[] = [
  ...faultsOf("load.accounting", {
    "free-keys-charged-twice": [
      "Jobs of free keys are charged twice",
      ofFreeKeys(({ job: isStruck }) => ({
        charge: (microUsd, job) => (isStruck(job) ? 2 * microUsd : microUsd),
      })),
    ],
    "near-free-keys-pay-half": [
      "Jobs of free keys cost half, and are charged so",
      ofFreeKeys(({ job: isStruck }) => ({
        cost: (cost, job) =>
          isStruck(job)
            ? { runMicroUsd: cost.runMicroUsd / 2, infraMicroUsd: cost.infraMicroUsd / 2 }
            : cost,
      })),
    ],
  }),
  ...faultsOf("load.webhooks", {
    "not-of-free-keys": [
      "No webhook is sent for jobs of free keys",
      ofFreeKeys(({ job: isStruck }) => ({
        webhook: (message, job) => (isStruck(job) ? null : message),
      })),
      { companions: ["webhook.delivered"] },
    ],
  }),
  ...faults(UNDER_LOAD, {
    "webhook.signed/not-of-free-keys": [
      "Webhooks of jobs of free keys are not signed",
      ofFreeKeys(({ job: isStruck }) => ({
        signature: (signature, _body, job) => (isStruck(job) ? null : signature),
      })),
      { companions: ["load.webhooks"] },
    ],
  }),
  ...faults(OF_LIMITS, {
    "timeout.free/not-for-free-keys": [
      "Timeouts cost half the price with free keys",
      ofFreeKeys(({ job: isStruck }) => ({
        cost: (cost, job) =>
          job.state === "timeout" && isStruck(job)
            ? { ...cost, runMicroUsd: runPrice(job.worker, job.input) / 2 }
            : cost,
      })),
    ],
    "timeout.fires/fails-with-free-keys": [
      "A job of a free key that reaches its limit ends as failed",
      ofFreeKeys(({ job: isStruck }) => ({
        ending: (state, job) => (state === "timeout" && isStruck(job) ? "failed" : state),
      })),
    ],
  }),
  ...faults(UNDER_LOAD, {
    "job.result-present/not-for-free-keys": [
      "A completed job of a free key has no result",
      ofFreeKeys(({ job: isStruck }) =>
        onJob((job) => completed(job) && isStruck(job), withoutResult),
      ),
    ],
    "job.never-lost/gone-for-free-keys": [
      "A job of a free key can't be found once it ended",
      ofFreeKeys(({ job: isStruck }) => ({
        visible: (visible, job) => visible && !(isDone(job) && isStruck(job)),
      })),
      { companions: ["load.no-losses"] },
    ],
  }),
];

const CANCELS_AND_RETRIES: readonly Fault[] = [
  ...faults(UNDER_LOAD, {
    "cancel.queued/ignored-with-free-keys": [
      "A cancelled job of a free key runs and completes",
      ofFreeKeys(({ job: isStruck }) => ({
        cancel: (effect, job) => (effect === "cancel" && isStruck(job) ? "ignore" : effect),
      })),
    ],
    "cancel.queued/near-late-with-free-keys": [
      "A cancel of a free key's job is answered after 0.2 s",
      ofFreeKeys(({ asker }) => ({
        delayMs: (delayMs, context) =>
          context.reason === "cancelled" && asker(context) ? delayMs + 200 : delayMs,
      })),
    ],
    "cancel.not-running/cancelled-with-free-keys": [
      "A running job of a free key is cancelled",
      ofFreeKeys(({ job: isStruck }) => ({
        cancel: (effect, job) =>
          effect === "refuse" && !isDone(job) && isStruck(job) ? "cancel" : effect,
      })),
    ],
    "webhook.wait-1/2-s-of-free-keys": [
      "Of jobs of free keys it is 2 s",
      ofFreeKeys(({ job: isStruck }) => ({
        retryWaitMs: (waitMs, { job, number }) =>
          waitMs !== null && number === 1 && isStruck(job) ? 0.4 * waitMs : waitMs,
      })),
    ],
    "webhook.wait-1/near-1-s-late-of-free-keys": [
      "Of jobs of free keys it ends 1 s too late",
      ofFreeKeys(({ job: isStruck }) => ({
        retryWaitMs: (waitMs, { job, number }) =>
          waitMs !== null && number === 1 && isStruck(job) ? waitMs + 1_000 : waitMs,
      })),
    ],
  }),
];

const REQUESTS: readonly Fault[] = [
  ...faults(UNDER_LOAD, {
    "submit.accepted-status/200-to-free-keys": [
      "Jobs of free keys are accepted with 200",
      ofFreeKeys(({ asker }) => onAnswer(all(accepted, asker), withStatus(200))),
    ],
    "submit.schema-violation/accepted-from-free-keys": [
      "A violated schema is let pass with free keys",
      ofFreeKeys(({ value }) => ({
        bodyProblem: (problem, _worker, { apiKey }) =>
          problem === "schema-violation" && value(apiKey) ? null : problem,
      })),
    ],
    "job.unknown/500-to-free-keys": [
      "An unknown job is answered 500 to free keys",
      ofFreeKeys(({ asker }) => onAnswer(all(because("unknown-job"), asker), withStatus(500))),
    ],
    "workers.list-shape/no-price-for-free-keys": [
      "The worker list tells free keys no prices",
      ofFreeKeys(({ asker }) =>
        onBody(all(at("workers", "served"), asker), (body) => ({
          ...body,
          workers: withoutPrices(body.workers),
        })),
      ),
    ],
    "job.list-own/empty-for-free-keys": [
      "The job list of free keys is empty",
      ofFreeKeys(({ asker }) =>
        onBody(all(at("jobs", "served"), asker), (body) => ({ ...body, jobs: [] })),
      ),
      { choices: { jobsShape: "jobs" } },
    ],
  }),
];

export const ONE_PLAN_FAULTS: readonly Fault[] = [...JOBS, ...CANCELS_AND_RETRIES, ...REQUESTS];
