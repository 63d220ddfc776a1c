/** What GET /v1/me shows of a key's plan, held against the target file. Its body is open. */

import { expect, it } from "vitest";

import type { PlanKey } from "../../contract/run/run-plan.ts";
import { accountNotes, shownPlans } from "../../gate/preflight/account-check.ts";
import { withJson } from "../contract/judges/answers.ts";

const key = { name: "k", env: "KEY", plan: "free", account: null } as PlanKey;

it.each<[string, object, string | undefined]>([
  ["at the top", { plan: "pro" }, "pro"],
  ["as a record", { plan: { name: "PRO" } }, "pro"],
  ["of the account", { account: { plan: "pro" } }, "pro"],
  ["of the account and the key", { account: { plan: "pro" }, key: { plan: "pro" } }, "pro"],
  ["only of some other part", { offer: { plan: "pro" } }, undefined],
  [
    "of an account whose key has another",
    { account: { plan: "pro" }, key: { plan: "free" } },
    undefined,
  ],
  ["at the top, and the key has another", { plan: "pro", api_key: { plan: "free" } }, undefined],
  ["of no name in the interface", { plan: "gold" }, undefined],
])("a plan %s", (_, body, plan) => {
  const answers = [[key, withJson(200, body)]] as const;
  expect(shownPlans(answers).get("k")).toBe(plan);
  expect(accountNotes(answers)).toHaveLength(plan === undefined ? 0 : 1);
});
