/** What a witness is given, with one key that is fast enough not to slow a test down. */

import type { RunPlan } from "../../../contract/run/run-plan.ts";
import { Secret } from "../../../contract/text/secret.ts";
import { REAL_NET } from "../../../gate/ports.ts";
import type { WitnessContext } from "../../../gate/witnesses/witness.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { key } from "../base-target.ts";

export const KEY_VALUE = "the-key";

export function contextFor(baseUrl: string, changes: Partial<RunPlan> = {}): WitnessContext {
  const caller = key("caller", { plan: "enterprise", sustained: 1_000, burst: 1_000 });
  const roles = { ...BASE_PLAN.roles, caller: "caller" };
  return {
    plan: { ...BASE_PLAN, baseUrl, keys: [caller], roles, ...changes },
    secrets: new Map([[caller.env, new Secret(KEY_VALUE)]]),
    signal: new AbortController().signal,
    net: REAL_NET,
    jobs: [],
    ended: [],
  };
}
