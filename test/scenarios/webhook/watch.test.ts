/** Up to when a webhook that has not come is known to be missing. */

import { expect, it } from "vitest";
import { ANSWER_OK } from "../../../contract/jobs/delivery.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { machineLag } from "../../../scenarios/host/lag.ts";
import { closeCase } from "../../../scenarios/webhook/watch.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
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

it("is no later than the receiver looked, however late its answer is read", async () => {
  let lookedAtMs = 0;
  const { world, until } = smallWorld(
    (_, nowMs) => {
      lookedAtMs = nowMs;
      return { status: 200, body: JSON.stringify({ deliveries: [] }) };
    },
    { SECRET: "s".repeat(20) },
  );
  const reporter = reporterOf(world, "a");
  const context = contextOf(world, BASE_PLAN, [], reporter, world.now() + 60_000);
  const watched = {
    spec: SPEC,
    token: "token",
    job: followedJob("job-1"),
    firstPollMs: 0,
    firstArrivedAtMs: null,
    firstKnownAtMs: Number.POSITIVE_INFINITY,
    lastLook: null,
  };
  const lag = machineLag(world, BASE_PLAN.times, null);
  lag.stop();
  const closed = await until(
    closeCase({ context, access: RECEIVER_ACCESS }, watched, [watched], lag),
  );
  expect(lookedAtMs).toBeGreaterThan(0);
  expect(closed.watchedUntilMs).toBeLessThanOrEqual(lookedAtMs);
});
