/** What one shard of a load is given, and when the records of all of them are whole. */

import { describe, expect, it } from "vitest";
import type { LoadTally } from "../../../contract/judges/load/tally.ts";
import { judgementOf } from "../../../contract/judging/records.ts";
import type { EvidenceRecord } from "../../../contract/run/evidence.ts";
import { OBSERVATION_VERSION } from "../../../contract/run/observation.ts";
import type { LoadPlan, RunPlan } from "../../../contract/run/run-plan.ts";
import { shardPlan, shardProblem, shardsFor, shardsOver } from "../../../contract/run/shards.ts";
import { findingOf } from "../findings.ts";
import { drawLoad, LOAD_PLAN, seenOf } from "../judges/load/shares.ts";

function planOf(change: Partial<LoadPlan>, budget: number | null = null): RunPlan {
  const { load } = LOAD_PLAN;
  if (load === null) throw new Error("the plan has a load");
  const [key] = LOAD_PLAN.keys;
  if (key === undefined) throw new Error("the plan has a key");
  const keys = [{ ...key, sustained: 2_000, burst: 4_000 }];
  const left = { jobs: budget, credits: budget, usd: null };
  return { ...LOAD_PLAN, keys, load: { ...load, ...change }, budget: left };
}

describe("shardsFor", () => {
  it.each<[string, Partial<LoadPlan>, number | null, number, number]>([
    ["a low rate", { jobsPerSecond: 20 }, null, 8, 1],
    ["a rate that one can't follow", { jobsPerSecond: 500 }, null, 8, 4],
    ["the same rate, sent by Node", { jobsPerSecond: 500, generator: "node" }, null, 8, 1],
    ["a rate that one thread can't follow", { jobsPerSecond: 501, generator: "node" }, null, 8, 2],
    ["a rate beyond the cores", { jobsPerSecond: 500 }, null, 2, 2],
    ["a number that was asked for", { jobsPerSecond: 20, shards: 3 }, null, 2, 3],
    ["a budget of few jobs", { jobsPerSecond: 500 }, 150, 8, 1],
    ["a rate that the keys have no room for", { jobsPerSecond: 9_000 }, null, 64, 14],
    ["the same, offered all the same", { jobsPerSecond: 9_000, beyondPlan: true }, null, 64, 60],
  ])("%s", (_, change, budget, cores, expected) => {
    expect(shardsFor(planOf(change, budget), cores)).toBe(expected);
  });

  it("is one where a key's limit is not declared, as it can't be shared", () => {
    const plan = planOf({ jobsPerSecond: 500 });
    const keys = plan.keys.map((key) => ({ ...key, sustained: null, burst: null }));
    expect(shardsFor({ ...plan, keys }, 8)).toBe(1);
  });
});

describe("shardsOver", () => {
  it.each([
    ["one each, where one could follow the rate", { jobsPerSecond: 20 }, 3, 3],
    ["as many as the rate takes, in equal numbers", { jobsPerSecond: 500 }, 3, 6],
    ["as many as were asked for, in equal numbers", { shards: 4 }, 3, 6],
    ["what one process would have", { jobsPerSecond: 500 }, 1, 4],
  ])("%s", (_, change, processes, expected) => {
    expect(shardsOver(planOf(change), processes)).toBe(expected);
  });

  it("is none where a key's limit is not declared, but for one process", () => {
    const plan = planOf({ jobsPerSecond: 500 });
    const keys = plan.keys.map((key) => ({ ...key, sustained: null, burst: null }));
    expect([2, 1].map((processes) => shardsOver({ ...plan, keys }, processes))).toEqual([null, 1]);
  });
});

describe("shardPlan", () => {
  it("shares out rate, limits and budget, and all of it once", () => {
    const shares = [0, 1, 2].map((index) =>
      shardPlan(planOf({ jobsPerSecond: 60, shards: 3 }, 100), { index, count: 3 }),
    );
    expect(shares.map(({ budget }) => budget.jobs)).toEqual([34, 33, 33]);
    expect(shares.map(({ load }) => load?.jobsPerSecond)).toEqual([20, 20, 20]);
    expect(shares[1]?.keys[0]?.sustained).toBeCloseTo(2_000 / 3);
    expect(shares[1]?.keys[0]?.burst).toBeCloseTo(4_000 / 3);
    expect(new Set(shares.map(({ seed }) => seed)).size).toBe(3);
  });

  it("leaves a load alone that one carries", () => {
    const plan = planOf({});
    expect(shardPlan(plan, { index: 0, count: 1 })).toBe(plan);
  });
});

const SHARDS = 3;
const scenario = "soak";
const LOAD = drawLoad(1, 0, 40);
const OBSERVED = { type: "observation", version: OBSERVATION_VERSION, scenario } as const;

/** What a shard leaves that carries each job whose number is its own. */
function recordsOf(index: number): EvidenceRecord[] {
  const shard = { index, count: SHARDS };
  const jobs = LOAD.jobs.filter((_, n) => n % SHARDS === index);
  const value = seenOf(LOAD, jobs, 1 / SHARDS);
  return [
    { type: "registered", scenario, promises: ["load.no-losses"], atMs: 0, shard },
    { ...OBSERVED, kind: "soak.load", value, shard },
    { type: "ended", scenario, atMs: 1, shard },
  ];
}

function withTally(index: number, change: Partial<LoadTally>): EvidenceRecord[] {
  return recordsOf(index).map((each) => {
    if (each.type !== "observation" || each.kind !== "soak.load") return each;
    return { ...each, value: { ...each.value, tally: { ...each.value.tally, ...change } } };
  });
}

const ALL = [0, 1, 2].map(recordsOf);
const BUT_LAST = ALL.slice(0, 2).flat();
const FAILED: EvidenceRecord = {
  ...{ ...OBSERVED, kind: "failure", shard: { index: 2, count: SHARDS } },
  value: { reason: "the scenario failed: no key" },
};
const IDLE = (index: number): EvidenceRecord[] => [
  { type: "registered", scenario, promises: [], atMs: 0, shard: { index, count: SHARDS } },
  {
    ...{ ...OBSERVED, kind: "nothing", shard: { index, count: SHARDS } },
    value: { reason: "no worker" },
  },
  { type: "ended", scenario, atMs: 1, shard: { index, count: SHARDS } },
];

const PROBLEMS: [title: string, records: readonly EvidenceRecord[], problem: RegExp | null][] = [
  ["all of them", ALL.flat(), null],
  ["in another order", ALL.toReversed().flat(), null],
  ["none that had anything to do", [0, 1, 2].flatMap(IDLE), null],
  ["one lost", BUT_LAST, /^shard 3 of 3 is missing$/],
  ["one twice", [...ALL.flat(), ...recordsOf(1)], /^shard 2 of 3 is there twice$/],
  ["one that hangs", ALL.flat().slice(0, -1), /^shard 3 of 3 did not finish$/],
  ["one that failed", [...ALL.flat(), FAILED], /^shard 3 of 3 saw nothing of the load: .*no key$/],
  ["one without work", [...BUT_LAST, ...IDLE(2)], /^shard 3 of 3 saw nothing .*no worker$/],
  ["one of another load", [...BUT_LAST, ...withCount(4)], /^a shard of 4 is there; expected 3$/],
];

function withCount(count: number): EvidenceRecord[] {
  return recordsOf(2).map((record) => ({ ...record, shard: { index: 2, count } }));
}

describe("shardProblem", () => {
  it.each(PROBLEMS)("%s", (_, records, problem) => {
    const found = shardProblem(records, SHARDS);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });
});

describe("a load whose shards are merged", () => {
  const plan = planOf({ shards: SHARDS });
  const findings = (records: readonly EvidenceRecord[], by = plan) =>
    judgementOf(records, by).flatMap((each) => (each.type === "finding" ? [each.finding] : []));
  const verdict = (records: readonly EvidenceRecord[], by = plan) =>
    findingOf(findings(records, by), "load.no-losses");

  it("is kept as that of one is", () => {
    const whole = seenOf(LOAD, LOAD.jobs, 1);
    const one: EvidenceRecord[] = [{ ...OBSERVED, kind: "soak.load", value: whole }];
    const alone = { ...plan, load: { ...planOf({}).load, shards: 1 } as LoadPlan };
    expect(findings(ALL.flat())).toEqual(findings(one, alone));
    expect(verdict(ALL.flat()).verdict).toBe("kept");
  });

  it("is withheld where one is lost or there twice", () => {
    expect(verdict(BUT_LAST)).toMatchObject({ verdict: "inconclusive" });
    expect(verdict(BUT_LAST).summary).toBe("shard 3 of 3 is missing");
    expect(verdict([...ALL.flat(), ...recordsOf(0)]).verdict).toBe("inconclusive");
  });

  it("says nothing in passing where one is lost, but for what is broken", () => {
    const asked = { ...plan, promises: ["job.shape"] } as const;
    const passed = { samples: 1, of: "looks", faults: 0, kept: [] };
    const all = [0, 1, 2].map((index) => withTally(index, { passing: { "job.shape": passed } }));
    expect(findings(all.flat(), asked)).toMatchObject([{ verdict: "kept", inPassing: true }]);
    expect(findings(all.slice(1).flat(), asked)).toEqual([]);
    expect(findings(BUT_LAST, asked)).toMatchObject([{ verdict: "broken", inPassing: true }]);
  });

  it("is no proof of identifiers issued twice where a shard is there twice", () => {
    const shard = (index: number, id: string) =>
      withTally(index, { issued: { oneIn: 1, atMs: { [id]: 1 }, again: {} } });
    const asked = { ...plan, promises: ["submit.unique-id"] } as const;
    const unique = (...records: readonly EvidenceRecord[][]) => findings(records.flat(), asked);
    const [a, b, c] = [shard(0, "job_a"), shard(1, "job_b"), shard(2, "job_a")];
    expect(unique(a, b, c)).toMatchObject([{ verdict: "broken" }]);
    expect(unique(b, b, shard(2, "job_c"))).toEqual([]);
  });

  it("is judged by one shard alone as far as its own part tells", () => {
    const share = shardPlan(plan, { index: 1, count: SHARDS });
    expect(verdict(recordsOf(1), share).verdict).toBe("kept");
  });
});
