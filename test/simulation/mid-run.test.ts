/** What the account's owner does in mid-run is held against no promise that it does not touch. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Budget } from "../../contract/run/run-plan.ts";
import type { Variant } from "../../contract/states.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import type { RequestFacts } from "../../reference/http.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { drawnCases } from "../drawn-cases.ts";

/** In the middle of the measuring of limits, and of the first jobs. */
const FROM_MS = 30_000;

const ofGroups = (...groups: readonly string[]): readonly PromiseId[] =>
  PROMISE_IDS.filter((id) => groups.includes(id.split(".")[0] ?? ""));

interface Setup {
  only: readonly PromiseId[];
  variant?: Variant;
  budget?: Budget;
  profile?: "quick" | "standard";
}

/** A gate of a healthy service with this. */
async function gateWith(fault: Fault, { only, variant = "B", budget, profile }: Setup) {
  const service = { variant, seed: 3, faults: [fault.name] } as const;
  return await simulateGate({
    seed: 3,
    service,
    otherFaults: [fault],
    only,
    ...(profile === undefined ? {} : { profile }),
    target: (target) => (budget === undefined ? target : { ...target, budget }),
  });
}

function brokenIn({ findings }: { findings: readonly Finding[] }): readonly PromiseId[] {
  return findings.flatMap(({ promise, verdict }) => (verdict === "broken" ? [promise] : []));
}

async function brokenWith(fault: Fault, only: readonly PromiseId[]): Promise<readonly PromiseId[]> {
  return brokenIn(await gateWith(fault, { only }));
}

/**
 * Ours: what is under way when a key is revoked, at most an overload and the burst after it of the
 * strongest key, and a few more to find out; 42,874 were once.
 */
const UNTAKEN_MAX = 12_000;

describe("keys that are revoked", () => {
  const moments = [
    ["while limits are measured", "A", FROM_MS, "standard"],
    ["while limits are measured", "B", FROM_MS, "standard"],
    ["while limits are measured, soon", "A", FROM_MS / 3, "quick"],
    ["under the load", "A", 4 * FROM_MS, "standard"],
    ["under the load", "B", 4 * FROM_MS, "standard"],
  ] as const;
  it.each(drawnCases("moments", moments, 2))(
    covers("%s (variant %s): named, and held against nothing", "27 gate"),
    async (_, variant, fromMs, profile) => {
      let refused = 0;
      const revoked = faultOf("job.shape", "revoked", "All keys are revoked", ({ clock }) => {
        const sinceMs = clock.nowMs();
        return {
          authenticate(outcome) {
            if (outcome.key === null || clock.nowMs() - sinceMs <= fromMs) return outcome;
            refused += 1;
            return { key: null, refusal: "revoked-key" };
          },
        };
      });
      const result = await gateWith(revoked, { variant, profile, only: PROMISE_IDS });
      expect(brokenIn(result)).toEqual([]);
      const named = result.notes.filter((note) => note.includes("is no longer taken"));
      expect(named.length).toBeGreaterThan(1);
      expect(named.join()).toContain(
        "got 401, Unauthorized; its limits were not tried any further",
      );
      // By the client of a scenario that measures no limits.
      expect(named.filter((note) => note.endsWith("got 401, Unauthorized"))).not.toEqual([]);
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThan(UNTAKEN_MAX);
    },
  );
});

/** Keys that nobody knows for so long, from about when the first jobs are submitted on. */
function unknownFor(forMs: number): Fault {
  return faultOf("account.readable", "unknown", "Keys are unknown for a while", ({ clock }) => {
    const sinceMs = clock.nowMs();
    return {
      authenticate(outcome) {
        const atMs = clock.nowMs() - sinceMs - SUBMITTING_MS;
        const isLost = outcome.key !== null && atMs >= 0 && atMs < forMs;
        return isLost ? { key: null, refusal: "invalid-key" } : outcome;
      },
    };
  });
}

/** Read of the jobs of the first try alone. */
const FILES: PromiseId = "job.files-readable";

/** Ours: by then no job was accepted, and all are about to be submitted. */
const SUBMITTING_MS = 3_000;

describe("keys that are refused in mid-run and served again", () => {
  const only = ofGroups("account", "submit", "job");
  it("for a moment, leave nothing unobserved", async () => {
    const { findings } = await gateWith(unknownFor(2_000), { only });
    const asked = findings.filter(({ promise }) => only.includes(promise) && promise !== FILES);
    const missing = asked.filter(({ verdict }) => verdict !== "kept");
    expect(missing.map(({ promise, verdict }) => [promise, verdict])).toEqual([]);
  });

  it("for longer than an accident, are named", async () => {
    expect(brokenIn(await gateWith(unknownFor(15_000), { only }))).toContain("account.readable");
  });
});

/** Ours: 4,789 were once, in a gate of these scenarios. */
const REFUSED_MAX = 150;

it(covers("credits that run out break nothing, and stop the submissions", "28 gate"), async () => {
  let refused = 0;
  const broke = faultOf("job.shape", "broke", "The credits run out", ({ clock }) => {
    const sinceMs = clock.nowMs();
    return {
      affordable(isSo) {
        const isOver = clock.nowMs() - sinceMs > FROM_MS;
        if (isSo && isOver) refused += 1;
        return isSo && !isOver;
      },
    };
  });
  expect(await brokenWith(broke, ofGroups("job", "load"))).toEqual([]);
  expect(refused).toBeGreaterThan(0);
  // Each scenario finds out by itself, with what is on its way by then.
  expect(refused).toBeLessThan(REFUSED_MAX);
});

it(covers("bursts of 500 break the share of errors alone", "25 gate"), async () => {
  const bursts = faultOf("job.shape", "bursts", "3 s of 500 in each 20 s", ({ clock }) => {
    const sinceMs = clock.nowMs();
    return {
      answer: (answer) =>
        (clock.nowMs() - sinceMs) % 20_000 > 17_000 ? { ...answer, status: 500 } : answer,
    };
  });
  expect(await brokenWith(bursts, ofGroups("job", "load"))).toEqual(["load.errors"]);
});

/** As a store that changes over, or one service behind a gateway that is restarted. */
function away(which: (request: RequestFacts) => boolean): Fault {
  return faultOf("job.shape", "away", "Some is away for 5 s in each 30 s", ({ clock }) => {
    const sinceMs = clock.nowMs();
    // While keys are tried and wrong bodies sent.
    const isNow = () => (clock.nowMs() - sinceMs + 25_000) % 30_000 < 5_000;
    return {
      answer: (answer, { request }) =>
        isNow() && which(request) ? { ...answer, status: 503 } : answer,
    };
  });
}

it.each([
  ["all that writes", ({ method }: RequestFacts) => method !== "GET"],
  ["single workers", ({ route }: RequestFacts) => route === "worker"],
] as const)(
  covers("%s that is away for 5 s while others are answered breaks nothing", "25 gate"),
  async (_, which) => {
    const only = ofGroups("auth", "workers", "submit");
    expect(await brokenWith(away(which), only)).toEqual([]);
    const limited = PROMISE_IDS.filter((id) => id === "rate.limited");
    expect(await brokenWith(away(which), limited)).toEqual([]);
  },
);

it(
  covers("keys that are refused for 5 s in each 50 s stop no submissions", "27 gate"),
  async () => {
    const blinking = faultOf("job.shape", "blinking", "No key is known for 5 s", ({ clock }) => {
      const sinceMs = clock.nowMs();
      // While the first jobs are submitted.
      const isNow = () => (clock.nowMs() - sinceMs + 40_000) % 50_000 >= 45_000;
      return {
        authenticate: (outcome) =>
          outcome.key !== null && isNow() ? { key: null, refusal: "revoked-key" } : outcome,
      };
    });
    const { findings, notes } = await gateWith(blinking, { profile: "quick", only: PROMISE_IDS });
    expect(notes.filter((note) => note.includes("no more are sent"))).toEqual([]);
    const ofJobs = findings.filter(({ promise }) => /^(job|cancel|webhook)/.test(promise));
    // A quick gate is too short for a whole schedule of retries.
    const unkept = ofJobs.filter(({ verdict }) => verdict !== "kept");
    expect(unkept.map(({ promise }) => promise)).toEqual(["webhook.wait-3", "webhook.gives-up"]);
  },
);

/** The mark of a job's input, or the token of its webhook: none is used twice. */
const OWN = /plumbline-[a-z0-9]{16}|Run-of-a-Simulation-[a-z0-9-]+/;

/** A service whose answers to so many submissions are lost, and what it knows of these. */
function lossyService(share: number) {
  const seen = { started: 0, marks: [] as string[], usd: 0 };
  const [lost, found] = [new Set<string>(), new Set<string>()];
  const fault = faultOf("job.shape", "lossy", "Answers are lost", ({ random }) => ({
    answer(answer, { request, job }) {
      const { route, parameter, body } = request;
      if (route === "job" && lost.has(parameter)) found.add(parameter);
      if (route !== "submit" || answer.status !== 202 || job === null) return answer;
      seen.started += 1;
      seen.marks.push(...(OWN.exec(body) ?? []));
      if (random() >= share) return answer;
      if (body.includes('"webhook"')) lost.add(job.id);
      return { ...answer, delivery: "reset" };
    },
    charge(microUsd) {
      seen.usd += microUsd / 1e6;
      return microUsd;
    },
  }));
  return { fault, seen, lost, found };
}

/** Of the reference service. */
const CREDITS_PER_USD = 100;
/** Ours: enough that a ceiling would be crossed by what is lost, if that were given back. */
const LOST_SHARE = 0.3;

describe("answers to submissions that are lost", () => {
  it.each(["A", "B"] as const)(
    covers("lose no job, which is sent once and found (variant %s)", "31 gate"),
    async (variant) => {
      const { fault, seen, lost, found } = lossyService(LOST_SHARE);
      const result = await gateWith(fault, { variant, only: ofGroups("job", "load") });
      expect(brokenIn(result)).toEqual(["load.errors"]);
      expect(seen.marks.length).toBeGreaterThan(seen.started / 2);
      // One body is submitted twice on purpose.
      expect(new Set(seen.marks).size).toBe(seen.marks.length - 1);
      expect(lost.size).toBeGreaterThan(0);
      expect(found).toEqual(lost);
      expect(result.budget.spent.jobs).toBe(seen.started);
    },
  );

  it.each([
    ["A", { jobs: null, credits: 150, usd: null }],
    ["B", { jobs: null, credits: null, usd: 2 }],
    ["B", { jobs: 300, credits: null, usd: null }],
  ] as const)(
    covers("leave what their jobs may cost charged (variant %s, %j)", "31 gate"),
    async (variant, budget) => {
      const { fault, seen } = lossyService(LOST_SHARE);
      const result = await gateWith(fault, { variant, budget, only: ofGroups("job", "load") });
      expect(result.notes).toContain("the soak ended early, as the budget allows no more jobs");
      expect(seen.started).toBeLessThanOrEqual(budget.jobs ?? Number.POSITIVE_INFINITY);
      const credits = seen.usd * CREDITS_PER_USD;
      expect(credits).toBeLessThanOrEqual(budget.credits ?? Number.POSITIVE_INFINITY);
      expect(seen.usd).toBeLessThanOrEqual(budget.usd ?? Number.POSITIVE_INFINITY);
    },
  );
});
