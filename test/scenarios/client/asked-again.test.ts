/** Requests that fail each time, beside another endpoint that tells whether the service is up. */

import { expect, it } from "vitest";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

/** How many of all requests, the first ones, and whether later ones of an unknown job are 503. */
interface Down {
  requests: number;
  staysDown: boolean;
}

async function judgedUnknown({ requests, staysDown }: Down) {
  let asked = 0;
  const { world, until } = smallWorld(
    ({ url }) => {
      asked += 1;
      if (asked <= requests || (staysDown && url.includes("/jobs/"))) return { status: 503 };
      return { status: url.includes("/jobs/") ? 404 : 200 };
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
  ["is back just before the other endpoint is asked", { requests: 3, staysDown: false }, "kept"],
  ["fails at this endpoint alone", { requests: 0, staysDown: true }, "broken"],
  ["is down for longer", { requests: 10, staysDown: false }, "inconclusive"],
] as const)("a service that %s", async (_, down, verdict) => {
  expect(await judgedUnknown(down)).toBe(verdict);
});
