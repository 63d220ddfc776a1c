/** Which jobs the webhook scenario submits, in what order, and how few a small budget leaves. */

import { describe, expect, it } from "vitest";
import { promisedTimes } from "../../../contract/promised-times.ts";
import type { RunPlan } from "../../../contract/run-plan.ts";
import { DEFAULT_TOLERANCES } from "../../../contract/run-plan.ts";
import {
  lastingSpecs,
  promptSpecs,
  refusedSpecs,
  roomIn,
  within,
} from "../../../scenarios/webhook/cases.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";

const worker = { id: "w", input: {} };
const ALL_PARTS = { success: worker, slow: worker, timeout: worker, failure: worker };
const PLAN: RunPlan = { ...BASE_PLAN, workers: ALL_PARTS };
const access = {
  publicUrl: "http://127.0.0.1:1",
  queryUrl: "http://127.0.0.1:2",
  querySecretEnv: "PLUMBLINE_SINK_SECRET",
  refusingUrl: "http://127.0.0.1:3",
  tokenPrefix: "",
  signature: { header: "X-Service-Signature", scheme: "present" },
};

describe("the cases", () => {
  it("start with one of each kind, after a first delivery that is nothing special", () => {
    const [first = [], second = []] = promptSpecs(PLAN);
    expect(first.map(({ kind }) => kind)).toEqual(["first"]);
    expect(new Set(second.map(({ kind }) => kind))).toEqual(
      new Set([
        "ladder",
        "first",
        "too-late",
        "in-time",
        "recovery",
        "silent",
        "not-found",
        "reset",
      ]),
    );
  });

  it("hold the whole ladder, and a recovery on each of its rungs", () => {
    const specs = promptSpecs(PLAN).flat();
    const recoveries = specs.filter(({ kind }) => kind === "recovery");
    expect(new Set(recoveries.map(({ script }) => script.length))).toEqual(new Set([2, 3, 4]));
    const ladders = specs.filter(({ kind }) => kind === "ladder");
    expect(ladders).toHaveLength(3);
    // Spec §6: 5 s, 30 s and 300 s; then 310 s of silence, and some time for what comes late.
    expect(Math.min(...ladders.map(({ watchMs }) => watchMs))).toBeGreaterThan(335_000 + 310_000);
  });

  it("answer after 9 s and 11 s of the service's time", () => {
    const delays = (timeScale: number) =>
      promptSpecs({ ...PLAN, times: promisedTimes({ timeScale, tolerances: DEFAULT_TOLERANCES }) })
        .flat()
        .flatMap(({ script: [step] }) =>
          step?.kind === "status" && step.delayMs ? [step.delayMs] : [],
        );
    expect(new Set(delays(1))).toEqual(new Set([9_000, 11_000]));
    expect(new Set(delays(0.05))).toEqual(new Set([450, 550]));
  });

  it("leave out parts that no worker plays", () => {
    const plan = { ...PLAN, workers: { success: worker } };
    expect(lastingSpecs(plan)).toEqual([]);
    expect(new Set(promptSpecs(plan).flatMap((round) => round.map(({ part }) => part)))).toEqual(
      new Set(["success"]),
    );
  });

  it("refuse connections only where the receiver can", () => {
    expect(refusedSpecs(PLAN)).toEqual([]);
    expect(refusedSpecs({ ...PLAN, receiver: access })).toHaveLength(3);
    expect(refusedSpecs({ ...PLAN, receiver: { ...access, refusingUrl: null } })).toEqual([]);
  });
});

describe("a budget", () => {
  it.each([
    [Number.POSITIVE_INFINITY, { prompt: Number.POSITIVE_INFINITY, lasting: 14, unasked: 3 }],
    [100, { prompt: 83, lasting: 14, unasked: 3 }],
    [11, { prompt: 7, lasting: 3, unasked: 1 }],
    [4, { prompt: 2, lasting: 1, unasked: 1 }],
    [3, { prompt: 3, lasting: 0, unasked: 0 }],
    [0, { prompt: 0, lasting: 0, unasked: 0 }],
  ])("of %d jobs is shared out", (left, room) => {
    expect(roomIn(left, 14)).toEqual(room);
  });

  it("cuts the rounds where it ends", () => {
    const counts = within(promptSpecs(PLAN), 5).map((round) => round.length);
    expect(counts).toEqual([1, 4, 0, 0]);
  });
});
