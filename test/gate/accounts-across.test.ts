/** Whose account an answer tells of is held against the answers in all runs of a gate. */

import { expect, it } from "vitest";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { accountsAcross } from "../../gate/accounts-across.ts";
import { answer } from "../contract/judges/answers.ts";
import { KEYS_OF_TWO, shownRun } from "./recorded-run.ts";

const AT_MS = Date.UTC(2026, 0, 1, 12);
let count = 0;

function told(by: string, body: object, route: RouteName = "me"): Exchange {
  count += 1;
  const sentAtMs = AT_MS + 137 * count;
  const text = JSON.stringify(body);
  const path = route === "me" ? "/v1/me" : `/v1/me/${route}`;
  return { ...answer(200, { route, body: text, sentAtMs }), path, key: by };
}

const often = (by: string, body: object, route?: RouteName) =>
  Array.from({ length: 4 }, () => told(by, body, route));

/** A run that observed these, each twice. */
const run = (name: string, ...all: readonly Exchange[]) => shownRun(name, ...all, ...all);

const [LEFT, RIGHT] = [{ account_id: "l" }, { account_id: "r" }];
const rate = run("rate-limit", ...often("left", LEFT), ...often("right", RIGHT));

it.each([
  ["another account's, to a key that is asked once", [told("left-too", RIGHT)], ["broken"]],
  ["another account's, once", [told("left", RIGHT)], ["broken"]],
  ["its own", [told("left-too", LEFT), told("right-too", RIGHT)], []],
  ["nobody's", [told("left-too", { account_id: "x" })], []],
  ["that of a key that may be of the same account", [told("undeclared", RIGHT)], []],
  [
    "that of whoever pays for it, always",
    [...often("left", RIGHT, "credits"), ...often("right", RIGHT, "credits")],
    [],
  ],
  [
    "that of whoever was asked before, now and then",
    [
      ...often("left", RIGHT, "credits"),
      told("left", LEFT, "credits"),
      ...often("right", RIGHT, "credits"),
    ],
    ["broken"],
  ],
] as const)("an account that a load shows as %s", (_, seen, verdicts) => {
  const findings = accountsAcross([rate, run("soak", ...seen)], KEYS_OF_TWO);
  expect(findings.map(({ verdict }) => verdict)).toEqual(verdicts);
});

it("a company that both have is nobody's, however seldom one is asked", () => {
  const [left, right] = ["l", "r"].map((id) => ({ account_id: id, company: "both" }));
  const soak = run("soak", ...often("left", left ?? {}), told("right", right ?? {}));
  expect(accountsAcross([soak], KEYS_OF_TWO)).toEqual([]);
});

it("counts an answer once, though several judges were shown it", () => {
  const [finding] = accountsAcross([rate, run("soak", told("left-too", RIGHT))], KEYS_OF_TWO);
  expect(finding?.summary).toMatch(/^1 of 9 answers to GET \/v1\/me have the account_id of/);
});
