/** What a target leaves out costs the promises that the table says, and no others. */

import { describe, expect, it } from "vitest";

import { GAPS, gapsOf } from "../../../cli/init/gaps.ts";
import type { PromiseId } from "../../../contract/promises.ts";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import type { PlanKey } from "../../../contract/run/run-plan.ts";
import type { Target } from "../../../contract/target.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { promisesWith } from "../../contract/findings.ts";

type Change = (target: Target) => Target;

const keysThat = (keep: (key: PlanKey, at: number, all: readonly PlanKey[]) => boolean): Change => {
  return (target) => ({ ...target, keys: target.keys.filter(keep) });
};
const eachKey = (change: (key: PlanKey) => PlanKey): Change => {
  return (target) => ({ ...target, keys: target.keys.map(change) });
};
const withoutPart = (name: string): Change => {
  return (target) => ({
    ...target,
    workers: Object.fromEntries(Object.entries(target.workers).filter(([part]) => part !== name)),
  });
};

/** Takes out of a whole target what the gap of that name is about. */
const TAKEN_OUT: Readonly<Record<string, Change>> = {
  "keys.plan": eachKey((key) => ({ ...key, plan: null, sustained: null, burst: null })),
  "keys second": keysThat(({ name }) => name === "pro-a"),
  "keys.account": eachKey((key) => ({ ...key, account: null })),
  "keys revoked": keysThat(({ state }) => state !== "revoked"),
  "keys exhausted": keysThat(({ state }) => state !== "exhausted"),
  workers: (target) => ({ ...target, workers: {} }),
  ...Object.fromEntries(
    ["success", "slow", "timeout", "failure", "files"].map((part) => [
      `workers.${part}`,
      withoutPart(part),
    ]),
  ),
  "workers.success.marker": (target) => {
    const { success = { id: "echo", input: {} } } = target.workers;
    const { id, input } = success;
    return { ...target, workers: { ...target.workers, success: { id, input } } };
  },
  publish: (target) => ({ ...target, publish: null }),
  cancel: (target) => ({ ...target, cancel: null }),
  webhook: (target) => ({ ...target, webhook: null }),
  budget: (target) => ({ ...target, budget: { jobs: 200, credits: null, usd: null } }),
  load: (target) => ({ ...target, load: null }),
  "load.objectives": (target) => {
    const { load } = target;
    if (load === null) return target;
    const none = { throughputShare: null, submitP99Ms: null, queueWaitP99Ms: null };
    return {
      ...target,
      load: { ...load, objectives: { ...load.objectives, ...none, driftShare: null } },
    };
  },
};

async function unobservedOn(target: Change, only: readonly PromiseId[] | null = null) {
  const { findings } = await simulateGate({
    seed: 1,
    service: { variant: "B" },
    profile: only === null ? "standard" : "quick",
    target,
    only,
  });
  return promisesWith(findings, "unobserved").filter((id) => only === null || only.includes(id));
}

describe("a target without", () => {
  it.each(GAPS)("$field leaves its promises unobserved", async ({ field, promises, isMissing }) => {
    const change = TAKEN_OUT[field];
    if (change === undefined) throw new Error(`no change takes out "${field}"`);
    let isFound = false;
    // A run for few promises has room for all of their jobs.
    const only = field === "budget" ? null : promises;
    const unobserved = await unobservedOn((target) => {
      const changed = change(target);
      isFound = isMissing(changed) && !isMissing(target);
      return changed;
    }, only);
    expect(isFound).toBe(true);
    const own = unobserved.filter((id) => promises.includes(id));
    expect(own.toSorted()).toEqual(promises.toSorted());
  });

  it("all but two keys and the quick worker leaves those and no others", async () => {
    let told: readonly PromiseId[] = [];
    const unobserved = await unobservedOn((whole) => {
      const target = {
        ...whole,
        keys: whole.keys.filter(({ name }) => ["free-a", "pro-a"].includes(name)),
        workers: { success: { id: "echo", input: { text: "hi" } } },
        publish: null,
        cancel: null,
        webhook: null,
        load: null,
      };
      told = gapsOf(target).flatMap(({ promises }) => promises);
      return target;
    });
    expect(unobserved).toEqual(PROMISE_IDS.filter((id) => told.includes(id)));
  });
});
