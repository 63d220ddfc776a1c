/** No fault looks at who asks or how: other names and other habits meet the same faults. */

import { describe, expect, it } from "vitest";
import { VARIANTS } from "../../../contract/states.ts";
import { type Fault, faultOf } from "../../../reference/faults/fault.ts";
import { FAULTS } from "../../../reference/faults/index.ts";
import type { Job } from "../../../reference/jobs/job.ts";
import { drawnCases } from "../../drawn-cases.ts";
import type { Counts, Record } from "./spied-faults.ts";
import { type Client, watch } from "./traffic.ts";

/** Ours: of each kind some hundred requests. */
const HABITS = { seed: 1, jobs: 1, waits: 1, shuffled: false, requests: 3_000 };
const PLAIN: Client = { ...HABITS, variant: "A", prefix: "" };
/** Three times the jobs in three times the time: the service is as busy as before. */
const OTHER_HABITS = { seed: 2, jobs: 3, waits: 3, shuffled: true };

/** Hooks of which one record has other marks than the other. */
function marked(first: Record, second: Record): string[] {
  return [...first.marks].flatMap(([what, marks]) =>
    String(second.marks.get(what)) === String(marks) ? [] : [what],
  );
}

interface Share {
  things: number;
  share: number;
  /** Of the share, when decisions on one thing hang together. */
  variance: number;
}

function shareOf({ fault, things }: Counts): Share {
  const all = [...things.values()].map(({ calls, bent }) => ({ calls, bent: bent[fault] ?? 0 }));
  const calls = all.reduce((sum, each) => sum + each.calls, 0);
  const share = all.reduce((sum, each) => sum + each.bent, 0) / calls;
  const squares = all.reduce((sum, each) => sum + (each.bent - share * each.calls) ** 2, 0);
  return { things: all.length, share, variance: squares / calls ** 2 };
}

/** Ours: fewer things say too little of a rate. */
const THINGS_MIN = 30;
/** Ours: some thousand rates are compared; none is off by chance by so many deviations. */
const DEVIATIONS = 5;

/** Where the rates differ by more than chance makes them. */
function shifted(first: Record, second: Record): string[] {
  return [...first.counts].flatMap(([where, counts]) => {
    const others = second.counts.get(where);
    if (others === undefined) return [];
    const [a, b] = [shareOf(counts), shareOf(others)];
    const things = Math.min(a.things, b.things);
    if (things < THINGS_MIN) return [];
    const deviation = Math.sqrt(a.variance + b.variance) + 1 / things;
    const differs = Math.abs(a.share - b.share) > DEVIATIONS * deviation;
    return differs ? [`${where}: ${a.share.toFixed(3)}, then ${b.share.toFixed(3)}`] : [];
  });
}

describe.each(drawnCases("variants", VARIANTS, 2))("the faults in variant %s", (variant) => {
  const plain = watch(FAULTS, { ...PLAIN, variant });

  it("strike the same requests of a client with other names", async () => {
    const first = await plain;
    const second = await watch(FAULTS, { ...PLAIN, variant, prefix: "other-" });
    expect(first.marks.size).toBeGreaterThan(200);
    expect(marked(first, second)).toEqual([]);
  });

  it("strike as often with three times the jobs in another order, at longer waits", async () => {
    const first = await plain;
    const second = await watch(FAULTS, { ...PLAIN, ...OTHER_HABITS, variant });
    expect(shifted(first, second)).toEqual([]);
  });
});

const hiding = (how: string, which: (job: Job) => boolean): Fault =>
  faultOf("job.never-lost", how, "Some jobs can't be found", () => ({
    visible: (visible, job) => visible && !which(job),
  }));

/** Faults as they were once: each knows the suite by something. */
const KNOWING = [
  hiding("by-worker", ({ worker, webhook }) => worker.id === "echo" && webhook === null),
  hiding("by-key", ({ keyName }) => keyName === "big"),
  hiding("by-text", ({ input }) => input.text === "hello"),
  hiding("by-token", ({ webhook }) => webhook === "http://hook.test/"),
  faultOf("job.shape", "by-agent", "One client reads nothing", () => ({
    answer: (answer, { request }) =>
      request.rawHeaders.includes("agent") ? { ...answer, body: {} } : answer,
  })),
];

/** Strikes each job's fourth read, as one who waits for the check that compares two. */
function onFourthRead(): Fault {
  return faultOf("job.forward-only", "fourth-read", "A job's fourth read is wrong", () => {
    const reads = new WeakMap<Job, number>();
    return {
      answer(answer, { job, request }) {
        if (job === null || request.method !== "GET") return answer;
        reads.set(job, (reads.get(job) ?? 0) + 1);
        return reads.get(job) === 4 ? { ...answer, body: {} } : answer;
      },
    };
  });
}

describe("a fault that knows the suite", () => {
  it.each(KNOWING)("is refused: $name", async (knowing) => {
    const first = await watch([knowing], PLAIN);
    const second = await watch([knowing], { ...PLAIN, prefix: "other-" });
    expect(marked(first, second)).toHaveLength(1);
  });

  it("by how often it looks is refused", async () => {
    const long = { ...PLAIN, requests: 16_000 };
    const first = await watch([onFourthRead()], long);
    const second = await watch([onFourthRead()], { ...long, ...OTHER_HABITS });
    expect(shifted(first, second)).not.toEqual([]);
  });
});
