/** The loop that asks for jobs, on virtual time: when each is asked for, and at whose pace. */

import { describe, expect, it } from "vitest";
import type { Followed, FollowPolicy } from "../../../../scenarios/client/followed/follower.ts";
import { Follower } from "../../../../scenarios/client/followed/follower.ts";
import { pacerAt } from "../../../../scenarios/client/pacer.ts";
import { VirtualClock } from "../../../../simulation/virtual-clock.ts";

interface Job extends Followed {
  name: string;
}

const ANSWER_MS = 5;

interface Given extends Partial<FollowPolicy<Job, string>> {
  /** Turns a second that the jobs share; left out: they take none. */
  turnsPerSecond?: number;
}

/** `after`: how long after an answer a job is asked for again; null: not at all. */
function setUp(after: (job: Job) => number | null, { turnsPerSecond, ...change }: Given = {}) {
  const clock = new VirtualClock(0);
  const world = { now: () => Math.floor(clock.nowMs()), delay: (ms: number) => clock.sleep(ms) };
  const asked: string[] = [];
  const answered: string[] = [];
  let timers = 0;
  const counted = {
    ...world,
    delay(ms: number) {
      timers += 1;
      return world.delay(ms);
    },
  };
  const pacer = turnsPerSecond === undefined ? null : pacerAt(world, turnsPerSecond, 0);
  const follower = new Follower<Job, string>(counted, {
    async ask({ name }) {
      asked.push(`${world.now()} ${name}`);
      await world.delay(ANSWER_MS);
      return name;
    },
    take(job, answer) {
      answered.push(`${world.now()} ${answer}`);
      const ms = after(job);
      return ms === null ? null : world.now() + ms;
    },
    pacerOf: () => pacer,
    tickMs: 0,
    timerMsMax: Number.POSITIVE_INFINITY,
    ...change,
  });
  const pass = (ms: number) => clock.run(clock.sleep(ms), ms + 1);
  const waiting = () => (pacer === null ? 0 : follower.waiting(pacer));
  return { follower, asked, answered, pass, waiting, timers: () => timers };
}

const jobNamed = (name: string): Job => ({ name, pollDueMs: null, isClosed: false });

describe("a job that is followed", () => {
  it("is asked for at once where it is due, and again as its policy says", async () => {
    const { follower, asked, pass } = setUp(() => 100);
    follower.schedule(jobNamed("a"), 0);
    await pass(250);
    expect(asked).toEqual(["0 a", "105 a", "210 a"]);
  });

  it("is asked for once at its time, when it was brought forward", async () => {
    const { follower, asked, pass } = setUp(() => null);
    const job = jobNamed("a");
    follower.schedule(job, 400);
    follower.schedule(job, 200);
    follower.schedule(job, 300);
    await pass(1_000);
    expect(asked).toEqual(["200 a"]);
  });

  it("is left alone while it is on its way, and once it is closed", async () => {
    const { follower, asked, answered, pass } = setUp(() => 10);
    const job = jobNamed("a");
    follower.schedule(job, 0);
    follower.schedule(job, 1);
    await pass(3);
    job.isClosed = true;
    follower.schedule(job, 4);
    await pass(100);
    expect(asked).toEqual(["0 a"]);
    expect(answered).toEqual([]);
  });

  it("waits in line for the turn of its key, which no closed job takes", async () => {
    const jobs = ["a", "b", "c", "d"].map(jobNamed);
    const { follower, asked, pass, waiting } = setUp(() => null, { turnsPerSecond: 10 });
    for (const job of jobs) follower.schedule(job, 50);
    await pass(60);
    expect(waiting()).toBe(3);
    for (const job of jobs.slice(1, 3)) job.isClosed = true;
    await pass(300);
    expect(asked).toEqual(["50 a", "150 d"]);
    expect(waiting()).toBe(0);
  });
});

describe("thousands of jobs", () => {
  it("wait with one timer, and those of a tick are taken together in their order", async () => {
    const { follower, asked, pass, timers } = setUp(() => null, { tickMs: 20 });
    for (let n = 0; n < 5_000; n += 1) follower.schedule(jobNamed(String(n)), 1_000 + n / 500);
    expect(timers()).toBe(1);
    await pass(2_000);
    expect(asked.map((each) => Number(each.split(" ")[1]))).toEqual([...Array(5_000).keys()]);
    expect(timers()).toBeLessThan(10);
  });

  it("keep no timer longer than is allowed, and none once it is stopped", async () => {
    const { follower, asked, pass, timers } = setUp(() => null, { timerMsMax: 100 });
    const called: string[] = [];
    follower.schedule(jobNamed("a"), 5_000);
    follower.remind(950, () => called.push("reminded"));
    await pass(1_000);
    expect(called).toEqual(["reminded"]);
    expect(timers()).toBeGreaterThanOrEqual(10);
    follower.stop();
    const before = timers();
    await pass(10_000);
    expect(asked).toEqual([]);
    expect(timers()).toBeLessThanOrEqual(before + 1);
  });
});
