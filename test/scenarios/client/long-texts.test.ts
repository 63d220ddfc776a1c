/** Which jobs carry a long text: one by order, others by chance, and never all of a burst. */

import { expect, it } from "vitest";
import { longText, marksIn } from "../../../contract/jobs/marks.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import type { FollowedJob } from "../../../scenarios/client/followed/followed-job.ts";
import type { Submission } from "../../../scenarios/client/submit.ts";
import { submit } from "../../../scenarios/client/submit.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { preparing } from "../../../scenarios/world/world.ts";
import { VirtualClock } from "../../../simulation/virtual-clock.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";

const BURST = 12;
const LIMIT_MS = 60_000;
const WORKER = { id: "echo", input: {}, marker: "text", markTail: true, markLong: true } as const;
const SUBMISSION: Submission = {
  worker: WORKER,
  price: { credits: null, usd: null },
  part: "slow",
  waitMs: 1_000,
};

/** Submits one job, and then a burst; whether each of these has a long text. */
async function burstOf(text: Submission["text"]): Promise<readonly boolean[]> {
  const clock = new VirtualClock(0);
  const world: World = {
    now: () => clock.nowMs(),
    delay: (ms) => clock.sleep(ms),
    async request() {
      await clock.sleep(1);
      const body = JSON.stringify({ job_uuid: "job_1", status: "queued" });
      const times = { transportMs: 1, bodyMs: 0, isReused: true };
      return { status: 202, body, headers: {}, error: null, ...times };
    },
    prepare: preparing((request) => world.request(request)),
    randomBytes: (count) => new Uint8Array(count),
    env: () => "a-key",
    emit: () => {},
    shard: { index: 0, count: 1 },
    beganAtMs: () => 0,
  };
  const limits = { plan: "pro", sustained: 50, burst: 100, account: null } as const;
  const plan = {
    ...BASE_PLAN,
    keys: [{ name: "key", env: "SAMPLE_KEY", state: "active", ...limits } as const],
    roles: { ...BASE_PLAN.roles, caller: "key" },
    budget: { jobs: null, credits: null, usd: null },
  };
  const context = contextOf(world, plan, [], reporterOf(world, "a"), LIMIT_MS);
  const one = () => submit(context, text === undefined ? SUBMISSION : { ...SUBMISSION, text });
  const all = async () => {
    const before = await one();
    if (before !== null) context.jobs.push(before);
    return Promise.all(Array.from({ length: BURST }, one));
  };
  return (await clock.run(all(), LIMIT_MS)).map(isLong);
}

function isLong(job: FollowedJob | null): boolean {
  const sent = job?.submission.requestBody ?? "";
  return marksIn(sent).some((mark) => sent.includes(longText(mark)));
}

it("a burst after the first job of a worker has long texts by chance alone", async () => {
  const long = (await burstOf(undefined)).filter(Boolean);
  expect(long.length).toBeLessThan(BURST / 2);
});

it.each([
  ["long", true],
  ["short", false],
] as const)("where a %s text is asked for, each has one", async (text, expected) => {
  expect(await burstOf(text)).toEqual(Array.from({ length: BURST }, () => expected));
});
