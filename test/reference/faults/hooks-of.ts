/** The hooks of one fault, and jobs to hold them against, without a running service. */

import type { RateLimit } from "../../../contract/plans.ts";
import type { State } from "../../../contract/states.ts";
import { createAccounts } from "../../../reference/accounts/account.ts";
import { createKeys, type ReferenceKey } from "../../../reference/accounts/keys.ts";
import { WORKERS } from "../../../reference/catalogue/workers.ts";
import { FAULTS } from "../../../reference/faults/index.ts";
import { combineHooks, type Hooks } from "../../../reference/hooks.ts";
import { FREE_OF_CHARGE, type Job } from "../../../reference/jobs/job.ts";
import { fakeClock } from "../../probe/fake-clock.ts";
import { seededRandom } from "../../probe/tracker/random.ts";

const KEYS = createKeys(1);
/** Nothing here takes time. */
const SCENE = { variant: "B", keys: KEYS, clock: fakeClock() } as const;

export function hooksOf(name: string, timeScale = 1): Hooks {
  const found = FAULTS.find((fault) => fault.name === name);
  if (found === undefined) throw new Error(`no fault "${name}"`);
  return combineHooks([found.create({ ...SCENE, random: seededRandom(1), timeScale })]);
}

export function aKey(limit: RateLimit): ReferenceKey {
  const key = KEYS.find(({ sustained }) => sustained === limit.sustained);
  if (key === undefined) throw new Error(`no key with ${limit.sustained} requests a second`);
  return key;
}

/** A job of a worker, in a state; runs for a minute. */
export function aJob(workerId: string, state: State): Job {
  const worker = WORKERS.find(({ id }) => id === workerId);
  const account = createAccounts(createKeys(1), 0).get("one");
  if (worker === undefined || account === undefined) throw new Error(`no worker "${workerId}"`);
  return {
    id: "job_1",
    worker,
    account,
    keyName: "big",
    input: {},
    priority: "normal",
    webhook: null,
    submittedAtMs: 0,
    runMs: 60_000,
    state,
    startedAtMs: 0,
    ranUntilMs: null,
    finishedAtMs: 0,
    endedAtMs: 0,
    performance: null,
    files: [],
    error: null,
    cost: FREE_OF_CHARGE,
    heldMicroUsd: 0,
    cancelDue: false,
    webhookFired: false,
    holdsSlot: false,
  };
}
