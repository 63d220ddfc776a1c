/** Requests that fail each time, beside another endpoint that tells whether the service is up. */

import { expect, it } from "vitest";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

/** How many of all requests, the first ones, are 503; until when those of a job; since when all. */
interface Down {
  requests: number;
  jobsAwayMs: number;
  allSinceMs?: number;
}

async function judgedUnknown({ requests, jobsAwayMs, allSinceMs = Infinity }: Down) {
  let asked = 0;
  const { world, until } = smallWorld(
    ({ url }) => {
      asked += 1;
      const isOfJob = url.includes("/jobs/");
      const ms = world.now() - world.beganAtMs();
      const isAway = (isOfJob && ms < jobsAwayMs) || ms >= allSinceMs;
      if (asked <= requests || isAway) return { status: 503 };
      return { status: isOfJob ? 404 : 200 };
    },
    { "KEY_free-a": "a-key" },
  );
  const plan = {
    ...BASE_PLAN,
    keys: [key("free-a", { plan: "free", sustained: 10, burst: 20 })],
    roles: { ...BASE_PLAN.roles, caller: "free-a" },
  };
  const context = contextOf(world, plan, [], reporterOf(world, "a"), world.now() + 60_000);
  const call = { method: "GET", route: "job", parameter: "none", key: "free-a" } as const;
  const attempts = await until(context.askAgain(call));
  return judgeStatus("job.unknown", [{ what: "an unknown job", ...attempts }]).verdict;
}

it.each([
  ["is back just before the other endpoint is asked", { requests: 3, jobsAwayMs: 0 }, "kept"],
  ["fails at this endpoint alone", { requests: 0, jobsAwayMs: 60_000 }, "broken"],
  ["is away at this endpoint alone for 8 s", { requests: 0, jobsAwayMs: 8_000 }, "kept"],
  [
    "fails at this endpoint first, and then at all",
    { requests: 0, jobsAwayMs: 60_000, allSinceMs: 5_000 },
    "inconclusive",
  ],
  ["is down for longer", { requests: 10, jobsAwayMs: 0 }, "inconclusive"],
] as const)("a service that %s", async (_, down, verdict) => {
  expect(await judgedUnknown(down)).toBe(verdict);
});
