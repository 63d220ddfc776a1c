/** The keys of the embedded service: with credits, without any, and a revoked one. */

import { createHash } from "node:crypto";
import { PLAN_LIMITS, type PlanName, type RateLimit } from "../../contract/plans.ts";
import type { KeyState } from "../../contract/run/run-plan.ts";

export interface ReferenceKey {
  name: string;
  value: string;
  plan: PlanName;
  sustained: number;
  burst: number;
  account: string;
  state: KeyState;
}

/** Ours: enterprise limits are custom (Spec §8); these let a load test offer 50 jobs a second. */
const ENTERPRISE_LIMIT: RateLimit = { sustained: 200, burst: 400 };

export const LIMITS: Readonly<Record<PlanName, RateLimit>> = {
  ...PLAN_LIMITS,
  enterprise: ENTERPRISE_LIMIT,
};

type KeyRow = readonly [name: string, plan: PlanName, account: string, state: KeyState];

const ROWS: readonly KeyRow[] = [
  ["free-a", "free", "one", "active"],
  ["free-b", "free", "one", "active"],
  ["free-c", "free", "two", "active"],
  ["pro-a", "pro", "one", "active"],
  ["pro-b", "pro", "one", "active"],
  ["pro-c", "pro", "two", "active"],
  ["big", "enterprise", "one", "active"],
  ["pro-d", "pro", "three", "active"],
  ["pro-e", "pro", "four", "active"],
  ["big-b", "enterprise", "five", "active"],
  ["old", "free", "one", "revoked"],
  ["broke", "free", "empty", "exhausted"],
];

export const KEY_NAMES: readonly string[] = ROWS.map(([name]) => name);

/**
 * Keys whose values follow from the seed, so that a client can be configured once. Who has a limit
 * of its own is on a plan whose limits are custom.
 */
export function createKeys(
  seed: number,
  limits: Readonly<Record<string, RateLimit>> = {},
): ReferenceKey[] {
  return ROWS.map(([name, named, account, state]) => {
    const own = limits[name];
    const plan = own === undefined ? named : "enterprise";
    const digest = createHash("sha256").update(`plumbline reference key ${seed} ${name}`);
    const value = `plk_${digest.digest("hex").slice(0, 32)}`;
    return { name, value, plan, ...(own ?? LIMITS[plan]), account, state };
  });
}
