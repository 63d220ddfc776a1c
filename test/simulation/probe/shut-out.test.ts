/** Answers that could keep a whole probe from seeing anything. */

import { expect, it } from "vitest";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import type { Bend } from "./bent-service.ts";
import { bentService } from "./bent-service.ts";

const MINUTE_MS = 60_000;

/** How often the main canary's runs came out how. */
async function outcomesOn(bend: Bend, durationMs: number) {
  const { runs } = await simulateProbe({ seed: 5, openService: bentService(bend), durationMs });
  const main = runs.filter(({ canary }) => canary === "main");
  return Object.groupBy(main, ({ outcome }) => outcome ?? "none");
}

it("checks that are refused for a minute each leave room for canaries", async () => {
  const refused = { status: 429, headers: { "retry-after": "60" } };
  const { success = [] } = await outcomesOn(
    ({ target }) => (target === "/v1/me/credits" ? refused : null),
    20 * MINUTE_MS,
  );
  expect(success.length).toBeGreaterThan(5);
});

it("an acceptance without an identifier is a failure, though the list can't be read", async () => {
  const outcomes = await outcomesOn(({ method, target }) => {
    if (method === "POST") return { status: 202, body: '{"status":"queued"}' };
    return target === "/v1/jobs" ? { status: 200, body: '{"count":7}' } : null;
  }, 5 * MINUTE_MS);
  expect(Object.keys(outcomes)).toEqual(["http_error"]);
  expect(outcomes.http_error?.length).toBeGreaterThan(3);
});
