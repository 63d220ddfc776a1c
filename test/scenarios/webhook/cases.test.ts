/** Which jobs the webhook scenario submits, in what order, and how few a small budget leaves. */

import { describe, expect, it } from "vitest";
import { formatStep } from "../../../contract/jobs/delivery.ts";
import { ALIKE_MIN } from "../../../contract/judges/webhook/case.ts";
import type { RunPlan } from "../../../contract/run/run-plan.ts";
import { DEFAULT_TOLERANCES } from "../../../contract/run/run-plan.ts";
import { promisedTimes } from "../../../contract/time/promised-times.ts";
import {
  lastingSpecs,
  lateSpecs,
  promptSpecs,
  refusedSpecs,
  roomIn,
  unaskedParts,
  within,
} from "../../../scenarios/webhook/cases.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { RECEIVER_ACCESS } from "../receiver-access.ts";

const worker = { id: "w", input: {} };
const ALL_PARTS = { success: worker, slow: worker, timeout: worker, failure: worker };
const PLAN: RunPlan = { ...BASE_PLAN, workers: ALL_PARTS };
const access = { ...RECEIVER_ACCESS, refusingUrl: "http://127.0.0.1:3" };

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

  it("hold the whole retry schedule, and a recovery at each retry", () => {
    const specs = promptSpecs(PLAN).flat();
    const recoveries = specs.filter(({ kind }) => kind === "recovery");
    expect(new Set(recoveries.map(({ script }) => script.length))).toEqual(new Set([2, 3, 4]));
    const wholeSchedules = specs.filter(({ kind }) => kind === "ladder");
    expect(wholeSchedules).toHaveLength(6);
    // Spec §6: 5 s, 30 s and 300 s; then 310 s of silence, and some time for what comes late.
    expect(Math.min(...wholeSchedules.map(({ watchMs }) => watchMs))).toBeGreaterThan(
      335_000 + 310_000,
    );
  });

  it("fail in each way on each attempt that has a wait after it, and of each end", () => {
    const plan = { ...PLAN, workers: { ...ALL_PARTS, list: worker, empty: worker, files: worker } };
    const specs = [...promptSpecs(plan).flat(), ...lastingSpecs(plan)];
    const seen = new Set(
      specs.flatMap(({ part, script }) =>
        script
          .slice(0, 3)
          .flatMap((step, at) => [
            `${formatStep(step)} on ${at + 1}`,
            `${formatStep(step).slice(0, 1)} of ${part}`,
          ]),
      ),
    );
    const some = ["302", "404", "429", "503", "410", "reset", "silent"];
    for (const way of ["402", "413", "415", "451"]) expect(seen).toContain(`${way} on 1`);
    for (const on of [1, 2]) for (const way of some) expect(seen).toContain(`${way} on ${on}`);
    for (const way of ["404", "410", "500", "reset", "301", "429"]) {
      expect([...seen].some((each) => each === `${way} on 3`)).toBe(true);
    }
    for (const part of ["success", "failure", "timeout", "slow"]) {
      for (const way of ["2", "3", "4", "5", "r"]) expect(seen).toContain(`${way} of ${part}`);
    }
    expect(seen).toContain("500~4000 on 1");
    expect(seen).toContain("200~4000 on 2");
  });

  it("fail at the last attempt in each way, one of them of a timed-out job", () => {
    const specs = [...promptSpecs(PLAN).flat(), ...lastingSpecs(PLAN)];
    const wholeSchedules = specs.filter(({ kind }) => kind === "ladder");
    const last = wholeSchedules.map(({ part, script }) => {
      return [part, ...script.slice(3).map(formatStep)].join(" ");
    });
    expect(last.sort()).toEqual([
      "failure 503",
      "success",
      "success",
      "success 410",
      "success 504",
      "success reset",
      "timeout 429",
    ]);
  });

  it("have addresses with a query, for first deliveries and for retries", () => {
    const plan = { ...PLAN, workers: { ...ALL_PARTS, list: worker, empty: worker, files: worker } };
    const specs = [...promptSpecs(plan).flat(), ...lastingSpecs(plan)].filter(
      ({ inQuery }) => inQuery,
    );
    const scripts = (kind: string) =>
      specs.filter((each) => each.kind === kind).map(({ script }) => script.length);
    expect(scripts("first")).toEqual([1, 1, 1, 1, 1]);
    expect(scripts("recovery")).toEqual([2, 2, 2, 2, 2]);
    expect(specs).toHaveLength(10);
    const long = specs.filter(({ hasLongQuery }) => hasLongQuery);
    expect(long.map(({ part, script }) => [part, ...script.map(formatStep)])).toEqual([
      ["success", "500", "200"],
    ]);
  });

  it("share an address only where each attempt at it is answered alike", () => {
    const plan = { ...PLAN, workers: { ...ALL_PARTS, list: worker, empty: worker, files: worker } };
    const all = [...promptSpecs(plan).flat(), ...lastingSpecs(plan), ...refusedSpecs(plan)];
    const shared = all.filter(({ sharesAddress }) => sharesAddress);
    expect(shared.map(({ kind, script }) => [kind, ...script.map(formatStep)].join(" "))).toEqual([
      ...["first 200", "first 200"],
      ...["ladder 500", "first 200"],
      ...["ladder 500"],
    ]);
    expect(all.some(({ kind, sharesAddress }) => kind === "first" && !sharesAddress)).toBe(true);
  });

  it("come back to the address that fails with one that is no longer watched than others", () => {
    const [late, ...more] = lateSpecs(PLAN);
    expect(more).toEqual([]);
    expect(late).toMatchObject({ kind: "ladder", part: "success", sharesAddress: true });
    expect(late?.script.map(formatStep)).toEqual(["500"]);
    // Spec §6: each wait is over by then, and 35 s more.
    expect(late?.watchMs).toBeGreaterThan(335_000);
    expect(late?.watchMs).toBeLessThan(340_000);
    const sharers = promptSpecs(PLAN)
      .flat()
      .filter(({ kind, sharesAddress }) => {
        return kind === "ladder" && sharesAddress;
      });
    // The first one there meets nothing that others left; so many do, with the late one.
    expect(sharers).toHaveLength(ALIKE_MIN);
  });

  it("answer after 7 s, 9 s and 11 s of the service's time", () => {
    const delays = (timeScale: number) =>
      promptSpecs({ ...PLAN, times: promisedTimes({ timeScale, tolerances: DEFAULT_TOLERANCES }) })
        .flat()
        .flatMap(({ script }) =>
          script.flatMap((step) => (step.kind === "status" && step.delayMs ? [step.delayMs] : [])),
        );
    expect(new Set(delays(1))).toEqual(new Set([7_000, 9_000, 11_000]));
    expect(new Set(delays(0.05))).toEqual(new Set([350, 450, 550]));
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

describe("jobs without a webhook", () => {
  const all = { ...PLAN, workers: { ...ALL_PARTS, list: worker } };

  it.each([
    [all, 3, ["success", "failure", "list"]],
    [all, 1, ["success"]],
    [PLAN, 3, ["success", "failure", "success"]],
    [{ ...PLAN, workers: {} }, 3, []],
  ])("play several parts in turn (%#)", (plan, count, parts) => {
    expect(unaskedParts(plan, count)).toEqual(parts);
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
