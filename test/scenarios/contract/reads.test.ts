/** Endpoints that are read several times in a row, all of which may meet one moment. */

import { expect, it } from "vitest";
import { judgeReadAgain } from "../../../contract/judges/read-again.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { readInRow } from "../../../scenarios/contract/reads.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import { pro } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

/** The service answers 503 from the first read of the credits on, for so long; or one path does. */
async function brokenBy({ awayMs = 0, failing = "none" }) {
  let awayUntilMs = 0;
  const { world, until } = smallWorld(
    ({ url }, nowMs) => {
      if (awayUntilMs === 0 && url.endsWith("/credits")) awayUntilMs = nowMs + awayMs;
      if (nowMs < awayUntilMs || url.endsWith(failing)) return { status: 503 };
      return { status: 200, body: url.endsWith("/workers") ? '{"workers":[]}' : "{}" };
    },
    { KEY_caller: "caller-secret" },
  );
  const plan = {
    ...BASE_PLAN,
    keys: [pro("caller")],
    roles: { ...BASE_PLAN.roles, caller: "caller" },
    workers: {},
  };
  const context = contextOf(world, plan, [], reporterOf(world, "a"), world.now() + 600_000);
  return judgeReadAgain(await until(readInRow(context))).map(({ promise }) => promise);
}

it.each([
  ["is away for a moment", { awayMs: 300 }, []],
  ["is away for longer", { awayMs: 5_000 }, []],
  ["fails at one endpoint", { failing: "/deployments" }, ["account.readable"]],
] as const)("a service that %s", async (_, service, broken) => {
  expect(await brokenBy(service)).toEqual(broken);
});
