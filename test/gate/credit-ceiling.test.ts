/** A ceiling in credits holds against a real service, which charges by what it estimated. */

import { expect, it, onTestFinished } from "vitest";
import { gateScenarios } from "../../cli/scenario-files.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { LoadPlan } from "../../contract/run-plan.ts";
import { runGate } from "../../gate/gate.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { startReference } from "../../reference/service.ts";
import { findK6 } from "../../runner/find-k6.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const CEILING = { jobs: null, credits: 3, usd: null };
const MARGIN = { timeout: 300_000 };

const ONLY: readonly PromiseId[] = ["load.no-losses"];

async function judge(variant: "A" | "B", mix: LoadPlan["mix"]) {
  const service = await startReference({ timeScale: 0.2, variant });
  onTestFinished(() => service.close());
  const { target, secrets } = embeddedTarget(service);
  if (target.load === null) throw new Error("the embedded service has a load");
  const load = { ...target.load, durationMs: 1_500, mix };
  return runGate({
    target: { ...target, load, budget: CEILING },
    secrets,
    profile: "quick",
    only: ONLY,
    seed: 1,
    outputDir: await temporaryFolder(),
    k6: await findK6({ env: process.env, onProgress: () => {} }),
    scenarios: gateScenarios(),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onPlanned: () => undefined,
  });
}

it("ends a soak before its jobs can cost more, though none of them has ended", MARGIN, async () => {
  const { budget, notes, findings } = await judge("A", { slow: 1 });
  expect(budget.spent).toMatchObject({ jobs: 3, credits: 3 });
  expect(notes).toContain("the soak ended early, as the budget has no room for more jobs");
  expect(findings.find(({ promise }) => promise === "load.no-losses")?.verdict).toBe("kept");
});

it("says so where the service never speaks of credits", MARGIN, async () => {
  const { budget, notes } = await judge("B", { empty: 1 });
  expect(budget.spent.jobs).toBeGreaterThan(3);
  expect(notes).toContainEqual(expect.stringMatching(/ceiling of 3 credits was not kept to/));
});
