/** A plan of a run, and one of a load, for tests that need any; each changes what it is about. */

import { PROMISE_IDS } from "../../contract/promises.ts";
import type { LoadPlan, RunPlan } from "../../contract/run/run-plan.ts";
import {
  DEFAULT_TOLERANCES,
  NO_ROLES,
  RUN_PLAN_SCHEMA_VERSION,
} from "../../contract/run/run-plan.ts";
import { REAL_TIMES } from "../../contract/time/promised-times.ts";

export const BASE_PLAN: RunPlan = {
  schemaVersion: RUN_PLAN_SCHEMA_VERSION,
  baseUrl: "http://127.0.0.1:9",
  times: REAL_TIMES,
  seed: 1,
  profile: "quick",
  promises: PROMISE_IDS,
  keys: [],
  roles: NO_ROLES,
  workers: {},
  publish: null,
  cancel: null,
  tolerances: DEFAULT_TOLERANCES,
  receiver: null,
  receiverMissing: null,
  receiverReach: "unknown",
  load: null,
  budget: { jobs: 0, credits: 0, usd: 0 },
};

/** One job a second for one second, with no objective. */
export const BASE_LOAD: LoadPlan = {
  jobsPerSecond: 1,
  durationMs: 1_000,
  keys: null,
  beyondPlan: false,
  mix: {},
  objectives: {
    throughputShare: null,
    submitP99Ms: null,
    queueWaitP99Ms: null,
    errorShare: null,
    driftShare: null,
  },
};
