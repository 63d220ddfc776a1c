/** Reads the plan of the run: a file named by PLUMBLINE_PLAN, or a base address and one key. */

import { PLAN_LIMITS } from "../../contract/plans.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { PlanKey, RunPlan } from "../../contract/run/run-plan.ts";
import {
  DEFAULT_TOLERANCES,
  NO_ROLES,
  RUN_PLAN_SCHEMA_VERSION,
} from "../../contract/run/run-plan.ts";
import { REAL_TIMES } from "../../contract/time/promised-times.ts";
import { querySecret } from "../client/plan.ts";

/**
 * Ours: what a first try without a target file may submit; it has no worker to submit to anyway.
 */
const FIRST_TRY_BUDGET = { jobs: 0, credits: 0, usd: 0 };

/**
 * The plan; only callable in k6's init context, where files can be opened. Throws when neither
 * PLUMBLINE_PLAN nor PLUMBLINE_BASE_URL is set, when the plan is of another version, or when the
 * secret of its receiver is not there: before a job is spent whose webhook nobody could read.
 */
export function loadPlan(): RunPlan {
  const file = __ENV.PLUMBLINE_PLAN;
  if (file === undefined || file === "") return firstTryPlan();
  const plan = JSON.parse(open(fromCallersFolder(file))) as RunPlan;
  if (plan.schemaVersion !== RUN_PLAN_SCHEMA_VERSION) {
    throw new Error(
      `plan ${file}: schemaVersion is ${String(plan.schemaVersion)}; ` +
        `expected ${RUN_PLAN_SCHEMA_VERSION}; write it again with "plumbline plan"`,
    );
  }
  if (plan.receiver !== null) querySecret({ env: (name) => __ENV[name] }, plan.receiver);
  return plan;
}

/** k6 opens a relative path from the scenario's folder; whoever types one means their own. */
function fromCallersFolder(file: string): string {
  const folder = __ENV.PWD ?? "";
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(file);
  return isAbsolute || folder === "" ? file : `${folder}/${file}`;
}

function firstTryPlan(): RunPlan {
  const baseUrl = __ENV.PLUMBLINE_BASE_URL;
  if (baseUrl === undefined || baseUrl === "") {
    throw new Error(
      "no target: set PLUMBLINE_PLAN to a file written by `plumbline plan --target FILE`, " +
        "or PLUMBLINE_BASE_URL and PLUMBLINE_KEY for a first try",
    );
  }
  const keys = __ENV.PLUMBLINE_KEY ? [firstTryKey()] : [];
  const name = keys[0]?.name ?? null;
  return {
    schemaVersion: RUN_PLAN_SCHEMA_VERSION,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    times: REAL_TIMES,
    seed: 1,
    profile: "standard",
    promises: PROMISE_IDS,
    keys,
    roles: {
      ...NO_ROLES,
      caller: name,
      limited: name === null ? [] : [name],
      overLimit: name,
      webhook: name,
      timeout: name,
    },
    workers: {},
    publish: null,
    cancel: null,
    tolerances: DEFAULT_TOLERANCES,
    receiver: null,
    receiverMissing: "a first try without a plan has no receiver",
    receiverReach: "unknown",
    load: null,
    budget: FIRST_TRY_BUDGET,
  };
}

function firstTryKey(): PlanKey {
  const plan = __ENV.PLUMBLINE_KEY_PLAN || null;
  if (plan !== null && plan !== "free" && plan !== "pro") {
    throw new Error(
      `PLUMBLINE_KEY_PLAN is "${plan}"; expected one of: free, pro (or leave it out)`,
    );
  }
  const limit = plan === null ? null : PLAN_LIMITS[plan];
  return {
    name: "key",
    env: "PLUMBLINE_KEY",
    state: "active",
    plan,
    sustained: limit?.sustained ?? null,
    burst: limit?.burst ?? null,
    account: null,
  };
}
