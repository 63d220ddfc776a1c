/** A ceiling in credits holds against a real service, which charges by what it estimated. */

import { expect, it } from "vitest";
import type { LoadPlan } from "../../contract/run/run-plan.ts";
import { findingOf } from "../contract/findings.ts";
import { openReference } from "../reference/open-reference.ts";
import { judgeSoak } from "./judge-soak.ts";

const CEILING = { jobs: null, credits: 3, usd: null };
/** Ours: by then the slowest machine has asked for a fourth job. */
const ENDED_EARLY_MS = 20_000;
const MARGIN = { timeout: 600_000 };

async function judge(variant: "A" | "B", mix: LoadPlan["mix"], durationMs: number) {
  const service = await openReference({ timeScale: 0.2, variant });
  return judgeSoak(service, { durationMs, mix }, CEILING);
}

it("ends a soak before its jobs can cost more, though none of them has ended", MARGIN, async () => {
  const { budget, notes, findings } = await judge("A", { slow: 1 }, ENDED_EARLY_MS);
  expect(budget.spent).toMatchObject({ jobs: 3, credits: 3 });
  expect(notes).toContain("the soak ended early, as the budget allows no more jobs");
  expect(findingOf(findings, "load.no-losses").verdict).toBe("kept");
});

it("says so where the service never speaks of credits", MARGIN, async () => {
  const { budget, notes } = await judge("B", { empty: 1 }, 1_500);
  expect(budget.spent.jobs).toBeGreaterThan(3);
  expect(notes).toContainEqual(expect.stringMatching(/ceiling in credits was not kept to/));
});
