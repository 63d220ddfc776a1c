/** Whole scenarios run in a world made by hand, without k6 and in no time. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import type { PlanKey, RunPlan } from "../../../contract/run/run-plan.ts";
import { contractScenario } from "../../../scenarios/contract/scenario.ts";
import { rateLimitScenario } from "../../../scenarios/rate-limit/scenario.ts";
import { soakScenario } from "../../../scenarios/soak/scenario.ts";
import { timeoutScenario } from "../../../scenarios/timeout/scenario.ts";
import { webhookScenario } from "../../../scenarios/webhook/scenario.ts";
import { NothingToObserve } from "../../../scenarios/world/nothing.ts";
import type { Scenario } from "../../../scenarios/world/scenario.ts";
import { runScenario } from "../../../scenarios/world/scenario.ts";
import type { WireRequest } from "../../../scenarios/world/world.ts";
import { answer } from "../../contract/judges/answers.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import type { Answer } from "./small-world.ts";
import { smallWorld } from "./small-world.ts";

const SECRET = "a-key-that-nobody-sees";
const KEY: PlanKey = {
  name: "key",
  env: "SAMPLE_KEY",
  state: "active",
  plan: "free",
  sustained: 10,
  burst: 20,
  account: null,
};
const ENV = { SAMPLE_KEY: SECRET };

function planFor(...promises: readonly PromiseId[]): RunPlan {
  const roles = { ...BASE_PLAN.roles, caller: "key", limited: ["key"], overLimit: "key" };
  return { ...BASE_PLAN, promises, keys: [KEY], roles };
}

function verdictsIn(records: readonly EvidenceRecord[]): Record<string, string> {
  const findings = records.flatMap((each) => (each.type === "finding" ? [each.finding] : []));
  return Object.fromEntries(findings.map(({ promise, verdict }) => [promise, verdict]));
}

async function run(
  scenario: Scenario,
  plan: RunPlan,
  answer: (request: WireRequest, nowMs: number) => Answer,
) {
  const small = smallWorld(answer, ENV);
  await small.until(runScenario(scenario, small.world, plan));
  return small;
}

describe("the contract scenario", () => {
  const plan = planFor("account.readable");

  it("judges what is asked for, between its first record and its last", async () => {
    const { records } = await run(contractScenario, plan, () => ({ status: 200 }));
    expect(verdictsIn(records)).toEqual({ "account.readable": "kept" });
    expect(records.map(({ type }) => type)).toEqual([
      "registered",
      "progress",
      "observation",
      "finding",
      "silences",
      "charges",
      "spent",
      "ended",
    ]);
    expect(records[0]).toMatchObject({ scenario: "contract", promises: ["account.readable"] });
  });

  it("sees a service that does not keep it", async () => {
    const { records } = await run(contractScenario, plan, ({ url }) => ({
      status: url.endsWith("/credits") ? 404 : 200,
    }));
    expect(verdictsIn(records)).toEqual({ "account.readable": "broken" });
  });

  it("sends the key of the environment, and tells it to nobody", async () => {
    const { records, requests } = await run(contractScenario, plan, () => ({ status: 200 }));
    const sent = requests.map(({ headers }) => Object.values(headers).includes(SECRET));
    expect(sent).toEqual([true, true, true]);
    expect(JSON.stringify(records)).not.toContain(SECRET);
  });

  it("does not mix with another that runs beside it", async () => {
    const [first, second] = await Promise.all([
      run(contractScenario, plan, () => ({ status: 200 })),
      run(contractScenario, plan, () => ({ status: 404 })),
    ]);
    expect(verdictsIn(first.records)).toEqual({ "account.readable": "kept" });
    expect(verdictsIn(second.records)).toEqual({ "account.readable": "broken" });
  });
});

/** A token bucket of the plan free, as a lawful service has it. Spec §8. */
function tokenBucket(sustained: number): (request: WireRequest, nowMs: number) => Answer {
  const burst = 20;
  let [tokens, lastMs] = [burst, Number.NEGATIVE_INFINITY];
  return ({ headers }, nowMs) => {
    if (!Object.values(headers).includes(SECRET)) return { status: 401 };
    tokens = Math.min(burst, tokens + ((nowMs - lastMs) / 1_000) * sustained);
    lastMs = nowMs;
    if (tokens < 1) return { status: 429, headers: { "retry-after": "1" } };
    tokens -= 1;
    return { status: 200 };
  };
}

describe("the rate-limit scenario", () => {
  const plan = planFor("rate.limited", "rate.sustained", "rate.burst", "rate.retry-after-present");

  it("measures a lawful limit of a key", async () => {
    const { records } = await run(rateLimitScenario, plan, tokenBucket(10));
    expect(verdictsIn(records)).toEqual({
      "rate.limited": "kept",
      "rate.sustained": "kept",
      "rate.burst": "kept",
      "rate.retry-after-present": "kept",
    });
  });

  it("sees a rate that is too high", async () => {
    const { records } = await run(rateLimitScenario, plan, tokenBucket(12));
    expect(verdictsIn(records)).toMatchObject({ "rate.sustained": "broken", "rate.burst": "kept" });
  });
});

describe("a scenario that fails", () => {
  const failing: Scenario = {
    name: "contract",
    promises: ["account.readable", "workers.list-shape"],
    secondsMax: () => 60,
    async run(_, report) {
      const attempts = [answer(200, { body: "{}" })];
      report.observed("contract.account", [{ what: "me", attempts }]);
      throw new Error("out of order");
    },
  };

  it("leaves what it did not judge inconclusive, and still ends", async () => {
    const plan = planFor(...failing.promises);
    const { records } = await run(failing, plan, () => ({ status: 200 }));
    expect(verdictsIn(records)).toEqual({
      "account.readable": "kept",
      "workers.list-shape": "inconclusive",
    });
    expect(JSON.stringify(records)).toContain("the scenario failed: out of order");
    expect(records.map(({ type }) => type).slice(-2)).toEqual(["spent", "ended"]);
  });

  it("tells why in a note where it judges nothing", async () => {
    const silent = { ...failing, promises: [] };
    const { records } = await run(silent, planFor(), () => ({ status: 200 }));
    const text = "the scenario failed: out of order";
    expect(records).toContainEqual({ type: "note", scenario: "contract", text, judged: true });
  });
});

describe("a scenario that has nothing to look at", () => {
  it.each([
    [timeoutScenario, "timeout.fires", "the plan names no active key for timeouts"],
    [webhookScenario, "webhook.delivered", "no webhook receiver is configured"],
    [
      rateLimitScenario,
      "rate.limited",
      "no active key with a declared plan is free for the overload phase",
    ],
    [soakScenario, "load.no-losses", "the target file has no load section"],
  ] as const)("$name leaves what was asked for unobserved", async (scenario, promise, reason) => {
    const plan: RunPlan = { ...BASE_PLAN, promises: [promise] };
    const { records, requests } = await run(scenario, plan, () => ({ status: 200 }));
    expect(requests).toEqual([]);
    expect(verdictsIn(records)).toEqual({ [promise]: "unobserved" });
    const findings = records.flatMap((each) => (each.type === "finding" ? [each.finding] : []));
    expect(findings).toMatchObject([{ promise, reason }]);
  });

  it.each([
    ["missed", "inconclusive"],
    ["unknown", "unobserved"],
  ] as const)("is in doubt of deliveries alone where they were %s", async (reach, verdict) => {
    const receiver = { receiverMissing: "the webhook did not come", receiverReach: reach };
    const plan: RunPlan = { ...planFor("webhook.delivered", "webhook.once"), ...receiver };
    const { records } = await run(webhookScenario, plan, () => ({ status: 200 }));
    const others = { "webhook.once": "unobserved" };
    expect(verdictsIn(records)).toEqual({ "webhook.delivered": verdict, ...others });
  });

  it("tells why in a note where it judges nothing", async () => {
    const silent: Scenario = {
      name: "sample",
      promises: [],
      secondsMax: () => 60,
      async run() {
        throw new NothingToObserve("there is no worker");
      },
    };
    const { records } = await run(silent, planFor(), () => ({ status: 200 }));
    const text = "there is no worker";
    expect(records).toContainEqual({ type: "note", scenario: "sample", text, judged: true });
  });
});
