/** How long the profile quick takes: on virtual time, by its waits and rests alone. */

import { expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Target } from "../../contract/target.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

const SECONDS_MAX = 75;
/** Ours: rests that are drawn by chance make 74 to 79 s of it, by the seed. */
const EMBEDDED_SECONDS_MAX = 80;
/** As the command starts the embedded service for this profile. */
const EMBEDDED_TIME_SCALE = 0.05;
const seed = 5;

const secondsOf = ({ startedAtMs, finishedAtMs }: RunResult) =>
  (finishedAtMs - startedAtMs) / 1_000;

it.each([2, seed])("judges the embedded service in 80 s, seed %i", async (drawn) => {
  const service = { seed: drawn, timeScale: EMBEDDED_TIME_SCALE };
  const result = await simulateGate({ seed: drawn, profile: "quick", service });
  expect(secondsOf(result)).toBeLessThan(EMBEDDED_SECONDS_MAX);
});

it("judges webhooks of a service whose clock is not scaled in 75 s, with two waits", async () => {
  const only = PROMISE_IDS.filter((id) => id.startsWith("webhook."));
  const result = await simulateGate({ seed, profile: "quick", only });
  expect(secondsOf(result)).toBeLessThan(SECONDS_MAX);
  const open = result.findings.filter(
    ({ promise, verdict }) => only.includes(promise) && verdict !== "kept",
  );
  expect(open.map(({ promise }) => promise)).toEqual(["webhook.wait-3", "webhook.gives-up"]);
});

it("judges a service whose clock is not scaled in 75 s, with no load", async () => {
  const unscaled = (target: Target) => ({ ...target, embedded: false, load: null });
  const result = await simulateGate({ seed, profile: "quick", target: unscaled });
  expect(secondsOf(result)).toBeLessThan(SECONDS_MAX);
  expect(result.findings.filter(({ verdict }) => verdict === "inconclusive")).toEqual([]);
});

it("is done with single requests and jobs in 60 s, even if it searches how to cancel", async () => {
  const groups = /^(auth|account|workers|submit|job|cancel)\./;
  const only = PROMISE_IDS.filter((id) => groups.test(id));
  const searching = (target: Target): Target => ({
    ...target,
    embedded: false,
    load: null,
    cancel: { method: "auto", body: null },
  });
  const result = await simulateGate({ seed, profile: "quick", only, target: searching });
  expect(secondsOf(result)).toBeLessThan(60);
});
