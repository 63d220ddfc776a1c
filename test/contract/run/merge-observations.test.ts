/** Shards merge before they are judged: in any grouping, in any order, as if they were one. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimeoutTrial } from "../../../contract/judges/timeout/trial.ts";
import { judgeRun } from "../../../contract/judging/judge-run.ts";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import { mergeObservations } from "../../../contract/run/merge-observations.ts";
import type { Observation } from "../../../contract/run/observation.ts";
import type { RunPlan } from "../../../contract/run/run-plan.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { answer, asked } from "../judges/answers.ts";
import { FREE, PRO, simulateTrial } from "../judges/rate/simulated-trial.ts";
import { observed } from "../judges/timeout/observed-job.ts";
import { caseOf } from "../judges/webhook/healthy-run.ts";

const RUNS = { seed: 20_260_103, numRuns: 40 };

const PLAN: RunPlan = {
  ...BASE_PLAN,
  promises: PROMISE_IDS,
  receiver: {
    publicUrl: "http://127.0.0.1:8",
    queryUrl: "http://127.0.0.1:9",
    querySecretEnv: "PLUMBLINE_SINK_SECRET",
    refusingUrl: null,
    tokenPrefix: "",
    signature: { header: "x-signature", scheme: "present" },
  },
};

const TRIAL: TimeoutTrial = {
  worker: "nap",
  limitSeconds: 2,
  beyond: [],
  below: [],
  balances: [],
  lagMs: 0,
  without: "no job could be submitted",
};

const job = (number: number, ranMs: number) =>
  observed({ startUpMs: 100, stamped: "running", ranMs }, number);

const ACCOUNT = (status: number): Observation => ({
  kind: "contract.account",
  value: [{ what: "me", attempts: [answer(status)] }],
});

/** The load of each scenario, in the smallest parts that a shard can carry. */
const WHOLES: Readonly<Record<string, readonly Observation[]>> = {
  "rate-limit": [
    ...[FREE, PRO, { sustained: 20, burst: 20 }].map((actual, seed): Observation => {
      const trial = simulateTrial({ kind: "token-bucket", actual, promised: FREE, seed });
      return { kind: "rate.key", value: { ...trial, key: `free-${seed}` } };
    }),
    { kind: "rate.rejected", value: { rounds: [], reason: "not asked for" } },
    { kind: "rate.rejected", value: { rounds: [], reason: "the budget is spent" } },
  ],
  webhook: [
    ...([0, 40] as const).flatMap((lateMs): Observation[] => [
      { kind: "webhook.case", value: caseOf("ladder", [0, 5_000 + lateMs, 35_000, 335_000]) },
      { kind: "webhook.case", value: caseOf("first", [lateMs]) },
      { kind: "webhook.case", value: caseOf("recovery", [0, 5_000 - 60 * lateMs]) },
    ]),
    { kind: "webhook.around", value: { lagMs: 3, pushedOut: { deliveries: 0, tokens: 0 } } },
    { kind: "webhook.around", value: { lagMs: 7, pushedOut: { deliveries: 2, tokens: 0 } } },
  ],
  contract: [
    ACCOUNT(200),
    ACCOUNT(404),
    { kind: "contract.unknown-jobs", value: [asked("a job", answer(404))] },
    { kind: "nothing", value: { reason: "no method", promises: ["cancel.queued"] } },
    { kind: "failure", value: { reason: "no connection", promises: ["workers.unknown"] } },
  ],
  timeout: [2_000, 2_001, 1_400, 6_000].map(
    (ranMs, at): Observation => ({
      kind: "timeout.trial",
      value: { ...TRIAL, beyond: [job(at, ranMs)], lagMs: at },
    }),
  ),
};

/** Which of three shards carried each part. */
function sharded(whole: readonly Observation[]) {
  const places = fc.array(fc.nat(2), { minLength: whole.length, maxLength: whole.length });
  return places.map((at) =>
    [0, 1, 2].map((shard) => whole.filter((_, part) => at[part] === shard)),
  );
}

/** With lists in an order of their own. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(unordered).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unordered(each)]));
}

function verdictsOf(scenario: string, observations: readonly Observation[]) {
  const run = { scenario, plan: PLAN, asked: [] };
  return judgeRun(observations, run).findings.map(({ promise, verdict }) => [promise, verdict]);
}

describe.each(Object.entries(WHOLES))("what shards of %s observed", (scenario, whole) => {
  it("merges in any grouping", () => {
    fc.assert(
      fc.property(sharded(whole), ([a = [], b = [], c = []]) => {
        const left = mergeObservations(mergeObservations(a, b), c);
        expect(unordered(left)).toEqual(unordered(mergeObservations(a, mergeObservations(b, c))));
      }),
      RUNS,
    );
  });

  it("merges in any order, but for the order of what is listed", () => {
    fc.assert(
      fc.property(sharded(whole), ([a = [], b = [], c = []]) => {
        const merged = mergeObservations(a, b, c);
        expect(unordered(mergeObservations(c, a, b))).toEqual(unordered(merged));
      }),
      RUNS,
    );
  });

  it("is judged as if one had carried the whole", () => {
    const expected = verdictsOf(scenario, whole);
    expect(new Set(expected.map(([, verdict]) => verdict)).size).toBeGreaterThan(1);
    fc.assert(
      fc.property(sharded(whole), (shards) => {
        expect(verdictsOf(scenario, mergeObservations(...shards))).toEqual(expected);
      }),
      RUNS,
    );
  });
});

describe("a shard that saw nothing", () => {
  const nothing: Observation = { kind: "nothing", value: { reason: "no key is free" } };
  const asked = ["timeout.fires"] as const;
  const run = { scenario: "timeout", plan: PLAN, asked };

  it("takes nothing from what another one saw", () => {
    const whole = WHOLES.timeout ?? [];
    const seen = judgeRun([nothing, ...whole], run).findings;
    expect(seen).toEqual(judgeRun(whole, run).findings);
  });

  it("leaves what was asked for unobserved where it is the only one", () => {
    expect(judgeRun([nothing, nothing], run).findings).toMatchObject([
      { promise: "timeout.fires", verdict: "unobserved", reason: "no key is free" },
    ]);
  });
});
