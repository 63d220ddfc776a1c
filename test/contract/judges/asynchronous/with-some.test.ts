/** Answers to some submissions that come as their jobs end. Spec §1.2. */

import { describe, expect, it } from "vitest";
import {
  judgeAnsweredByWorker,
  judgeAnsweredWithSome,
} from "../../../../contract/judges/asynchronous/with-some.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { run, T0 } from "../job/fixtures.ts";

/**
 * A job that lives so long, when its submission was answered, and its run if shorter, or
 * null where it was cancelled; in ms.
 */
type Told = readonly [livesMs: number, answeredMs: number, ranMs?: number | null];

/** When a job is created after its submission was sent; ms. */
const CREATED_AFTER_MS = 5;

function reading([livesMs, answeredMs, ranMs = livesMs]: Told, tripMs: number) {
  const edit = (body: { timestamps: { finished_at: string | null } }) => {
    const finished_at = new Date(T0 + CREATED_AFTER_MS + livesMs).toISOString();
    return { ...body, timestamps: { ...body.timestamps, finished_at, duration_ms: ranMs } };
  };
  const end = ranMs === null ? ("cancelled" as const) : ("completed" as const);
  const polls = { [end]: [{ state: end, at: 30_000 }] };
  const [job] = run({ variant: "B", ends: [end], edit, polls });
  if (job === undefined) throw new Error("no job");
  const { submission } = job;
  const receivedAtMs = submission.sentAtMs + answeredMs;
  const after = job.polls.map((poll) => ({ ...poll, receivedAtMs: poll.sentAtMs + tripMs }));
  const [read] = readHistories([
    { ...job, submission: { ...submission, receivedAtMs }, polls: after },
  ]);
  if (read === undefined) throw new Error("no reading");
  return read;
}

const verdictsOf = (jobs: readonly Told[], tripMs = 10) =>
  judgeAnsweredWithSome(jobs.map((job) => reading(job, tripMs))).map(({ verdict }) => verdict);

const PROMPT: readonly Told[] = Array.from({ length: 40 }, () => [350, 2] as const);
const AS_LONG: readonly Told[] = [
  [350, 352],
  [361, 365],
  [344, 345],
  [420, 421],
  [2_100, 2_104],
  [240, 245],
];

describe("late answers amid prompt ones", () => {
  it.each([
    ["as late as their jobs were long", AS_LONG, ["broken"]],
    ["as late as one kind of job is long", AS_LONG.slice(0, 3).concat(AS_LONG.slice(0, 3)), []],
    ["fewer than four", AS_LONG.slice(3), []],
    ["cancelled as soon as they come", AS_LONG.map(([ms]): Told => [ms, ms, null]), []],
    ["late as well, and cancelled", [...AS_LONG, [500, 400, null], [350, 300, null]], ["broken"]],
    ["late by any time", AS_LONG.map(([lives], at): Told => [lives, 150 + 130 * at]), []],
    ["late to take jobs that run at once", AS_LONG.map(([ms, at]): Told => [ms, at, 8]), []],
    ["late before the end", AS_LONG.map(([lives]): Told => [lives, 0.8 * lives]), []],
    ["most of them late by another time", [...AS_LONG, [350, 800], [350, 150], [90, 500]], []],
    ["none", [], []],
  ] as const)("%s", (_name, late, verdicts) => {
    expect(verdictsOf([...PROMPT, ...late])).toEqual(verdicts);
  });

  it("are on their way for as long, from afar", () => {
    const taken = [250, 260, 390, 410, 700, 1_100];
    expect(
      verdictsOf(
        taken.map((ms): Told => [ms + 120, ms + 150, 120]),
        150,
      ),
    ).toEqual([]);
    expect(
      verdictsOf(
        taken.map((ms): Told => [2 * ms, 2.1 * ms]),
        150,
      ),
    ).toEqual(["broken"]);
  });
});

describe("late answers to one worker's jobs, which all take as long", () => {
  const slow = (count: number, told: Told) =>
    Array.from({ length: count }, () => ofWorker("render", reading(told, 10)));
  const prompt = PROMPT.map((told) => reading(told, 10));
  const verdicts = (late: readonly ReturnType<typeof reading>[]) =>
    judgeAnsweredByWorker([...prompt, ...late]).map(({ verdict }) => verdict);

  it.each([
    ["each as long as the run", slow(6, [700, 706]), ["broken"]],
    ["but for one", [...slow(9, [700, 706]), ...slow(1, [700, 20])], ["broken"]],
    ["some of them", [...slow(6, [700, 706]), ...slow(4, [700, 20])], []],
    ["too few", slow(5, [700, 706]), []],
    ["before the run", slow(9, [1_400, 706, 700]), []],
    ["that take as long to be taken, and no run", slow(9, [700, 706, 5]), []],
    ["soon", slow(9, [250, 256]), []],
  ] as const)("%s", (_name, late, expected) => {
    expect(verdicts(late)).toEqual(expected);
  });

  it("tell nothing where those of others are late as well", () => {
    const others = Array.from({ length: 9 }, () => reading([100, 400, 90], 10));
    expect(judgeAnsweredByWorker([...others, ...slow(9, [700, 706])])).toEqual([]);
  });
});

function ofWorker(workerId: string, read: ReturnType<typeof reading>) {
  return { ...read, history: { ...read.history, workerId } };
}
