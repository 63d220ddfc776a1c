/**
 * Up to when a webhook that has not come is known to be missing, and what becomes of a job whose
 * cancel was answered.
 */

import { expect, it } from "vitest";
import { ANSWER_OK } from "../../../contract/jobs/delivery.ts";
import { judgeCancelsSeen } from "../../../contract/judges/cancel/cancels-seen.ts";
import { readHistories } from "../../../contract/judges/job/reading.ts";
import { historyOf } from "../../../contract/judges/webhook/case.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import type { FollowedJob } from "../../../scenarios/client/followed/followed-job.ts";
import { machineLag } from "../../../scenarios/host/lag.ts";
import { closeCase } from "../../../scenarios/webhook/watch.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { findingOf } from "../../contract/findings.ts";
import { FIRST_AT, pollAt } from "../../contract/judges/webhook/healthy-run.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { followedJob } from "../client/followed/followed-job.ts";
import { RECEIVER_ACCESS } from "../receiver-access.ts";
import { smallWorld } from "../world/small-world.ts";

const SPEC = {
  kind: "first",
  part: "success",
  script: [ANSWER_OK],
  inQuery: false,
  hasLongQuery: false,
  sharesAddress: false,
  isUnpolled: false,
  watchMs: 1_000,
  silenceMs: null,
} as const;

/** Polls from the first arrival of a webhook on are looks at the job. */
function closedCase(world: World, job: FollowedJob) {
  const reporter = reporterOf(world, "a");
  const context = contextOf(world, BASE_PLAN, [], reporter, world.now() + 60_000);
  const watched = {
    spec: SPEC,
    token: "token",
    job,
    firstPollMs: 0,
    firstArrivedAtMs: null,
    firstKnownAtMs: FIRST_AT,
    lastLook: null,
  };
  const lag = machineLag(world, BASE_PLAN.times, null);
  lag.stop();
  return closeCase({ context, access: RECEIVER_ACCESS }, watched, [watched], lag);
}

it("is no later than the receiver looked, however late its answer is read", async () => {
  let lookedAtMs = 0;
  const { world, until } = smallWorld(
    (_, nowMs) => {
      lookedAtMs = nowMs;
      return { status: 200, body: JSON.stringify({ deliveries: [] }) };
    },
    { SECRET: "s".repeat(20) },
  );
  const closed = await until(closedCase(world, followedJob("job-1")));
  expect(lookedAtMs).toBeGreaterThan(0);
  expect(closed.watchedUntilMs).toBeLessThanOrEqual(lookedAtMs);
});

it.each([
  { answer: 200, judged: ["broken"] },
  { answer: 409, judged: [] },
])(
  "a job that ran after a cancel was answered $answer as cancelled",
  async ({ answer, judged }) => {
    const { world, until } = smallWorld(
      () => ({ status: 200, body: JSON.stringify({ deliveries: [] }) }),
      { SECRET: "s".repeat(20) },
    );
    const asked = { id: "job-1", state: "cancelled", endedMs: 1_000 };
    const ran = { ...asked, state: "completed" };
    const cancel = {
      ...pollAt(asked, { sentAtMs: FIRST_AT - 900, receivedAtMs: FIRST_AT - 895 }),
      status: answer,
    };
    const end = pollAt(ran, { sentAtMs: FIRST_AT + 10, receivedAtMs: FIRST_AT + 15 });
    const job = { ...followedJob("job-1"), polls: [end], cancelRequests: [cancel] };
    const history = historyOf(await until(closedCase(world, job)));
    const findings = judgeCancelsSeen(readHistories([history]), []);
    const { verdict } = findingOf(findings, "cancel.queued");
    expect(verdict === "broken" ? [verdict] : []).toEqual(judged);
  },
);
