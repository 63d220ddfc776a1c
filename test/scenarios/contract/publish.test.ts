/** Whose key is asked to publish the worker that the target names. */

import { expect, it } from "vitest";
import { judgePublish } from "../../../contract/judges/publish.ts";
import { contextOf } from "../../../scenarios/client/context.ts";
import { publishStep } from "../../../scenarios/contract/workers.ts";
import { reporterOf } from "../../../scenarios/world/reporter.ts";
import { pro } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

const KEYS = ["caller", "second", "other", "limited"] as const;
const ACCOUNTS = { caller: "a", second: "a", other: "b", limited: "c" };

/** `key`: as the target file names it; each key is answered by its status, left out: 403. */
async function published(key: string | null, statuses: Partial<Record<string, number>>) {
  const asked: string[] = [];
  const { world, until } = smallWorld(
    ({ url, headers }) => {
      if (!url.includes("/mine")) return { status: 404 };
      const [, name = ""] =
        Object.values(headers)
          .join(" ")
          .match(/(\w+)-secret/) ?? [];
      asked.push(name);
      return { status: statuses[name] ?? 403 };
    },
    Object.fromEntries(KEYS.map((name) => [`KEY_${name}`, `${name}-secret`])),
  );
  const plan = {
    ...BASE_PLAN,
    keys: KEYS.map((name) => pro(name, { account: ACCOUNTS[name] })),
    roles: { ...BASE_PLAN.roles, caller: "caller", limited: ["limited"] },
    publish: { worker: "mine", key },
  };
  const report = reporterOf(world, "a");
  const context = contextOf(world, plan, ["workers.publish"], report, world.now() + 60_000);
  const seen = await until(
    publishStep.run(context, async () => {
      throw new Error("no list is needed");
    }),
  );
  const [value] = seen.flatMap((each) => (each.kind === "contract.publish" ? [each.value] : []));
  if (value === undefined) throw new Error("nothing was asked");
  const { own, unknown, unasked } = value;
  return { asked, verdict: judgePublish(own, unknown, unasked).verdict };
}

it.each([
  ["a free key of another account", "other", { caller: 400, other: 200 }, ["other"], "kept"],
  ["another's, who is refused", "other", { caller: 200 }, ["other"], "broken"],
  ["a key of the caller's account", "second", { caller: 200 }, ["caller"], "kept"],
  ["a key that is measured", "limited", {}, ["caller"], "unobserved"],
  ["none", null, { other: 200 }, ["caller", "other"], "kept"],
  ["none, and all are refused", null, {}, ["caller", "other"], "unobserved"],
] as const)("the owner is %s", async (_, key, statuses, asked, verdict) => {
  expect(await published(key, statuses)).toEqual({ asked, verdict });
});
