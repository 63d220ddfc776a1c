/** Valid keys that are said to be none now and then, over all runs of a gate. */

import { expect, it } from "vitest";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Observation } from "../../contract/run/observation.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import { refusedAcross } from "../../gate/refused-across.ts";
import { shownBy } from "../../gate/shown.ts";
import { answer } from "../contract/judges/answers.ts";
import { key } from "./base-target.ts";
import { recordedRun } from "./recorded-run.ts";

const KEYS: readonly PlanKey[] = [key("one"), { ...key("old"), state: "revoked" }];
const AT_MS = Date.UTC(2026, 0, 1, 12);

function got(status: number, seconds: number, by: string | null = "one"): Exchange {
  const sentAtMs = AT_MS + 1_000 * seconds + 137;
  return { ...answer(status, { route: "me", sentAtMs }), key: by, receivedAtMs: sentAtMs + 20 };
}

function run(kind: Observation["kind"], ...exchanges: readonly Exchange[]) {
  return shownBy(recordedRun("contract", kind, exchanges));
}

const refused = (...seconds: readonly number[]) => seconds.map((each) => got(401, each));
const served = got(200, 500);
const byRevoked = [...refused(5, 45), got(401, 85, "old"), got(200, 500, "old")];
const measured = run("rate.key", ...refused(205, 245, 285));
const limited = [205, 215, 225, 235, 245, 255, 265, 275, 285].map((at) => got(429, at));
const amid429s = (...seconds: readonly number[]) =>
  run("rate.key", ...refused(...seconds), ...limited, served);

it.each([
  ["in three moments", [run("contract.job", ...refused(5, 45), served), measured], ["broken"]],
  ["in three runs", [5, 45, 85].map((at) => run("contract.job", got(401, at), served)), ["broken"]],
  ["twice", [run("contract.job", ...refused(5, 6, 45, 46), served)], []],
  ["twice, for as long as an outage takes", [run("webhook.case", ...refused(5, 14, 45, 54))], []],
  ["to the end", [run("contract.job", ...refused(5, 45, 85, 125))], []],
  ["while its limit is measured, with 429 as a rule", [amid429s(206, 246, 286)], ["broken"]],
  ["twice, among many that got 429", [amid429s(206, 246)], []],
  ["as often as it got 429", [amid429s(206, 226, 246, 256, 286)], []],
  ["while its limit is measured alone", [run("contract.job", ...refused(5), served), measured], []],
  ["as a revoked key", [run("contract.job", ...byRevoked, served)], []],
  ["without a key of the plan", [run("contract.job", got(401, 5, null), served), measured], []],
] as const)("a key that is refused %s", (_, runs, verdicts) => {
  expect(refusedAcross(runs, KEYS).map(({ verdict }) => verdict)).toEqual(verdicts);
});

it("says when, and how often", () => {
  const [finding] = refusedAcross([run("contract.job", ...refused(5, 45, 85), served)], KEYS);
  expect(finding?.summary).toMatch(/^valid keys got 401 at 3 times, from .*12:00:0.* to .*12:01:2/);
});
