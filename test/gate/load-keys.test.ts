/** The keys that carry a soak, against a real service: how much each may send. */

import { expect, it } from "vitest";
import { z } from "zod";
import type { LoadPlan } from "../../contract/run/run-plan.ts";
import { openReference } from "../reference/open-reference.ts";
import { judgeSoak } from "./judge-soak.ts";

const MARGIN = { timeout: 600_000 };

const measured = z.object({
  keys: z.array(z.string()),
  jobsPerSecond: z.number(),
  offered: z.number(),
  throttled: z.number(),
  answered429: z.number(),
});

async function soak(change: Partial<LoadPlan>) {
  const service = await openReference({ timeScale: 0.02 });
  const load = { durationMs: 6_000, mix: { success: 1 }, ...change };
  const { measurements, notes, findings } = await judgeSoak(service, load);
  return { figures: measured.parse(measurements.load?.[0]), notes: notes.join("; "), findings };
}

it("share what their plans have room for", MARGIN, async () => {
  const { figures, notes } = await soak({ keys: ["free-a", "free-b"], jobsPerSecond: 10 });
  expect(figures.keys).toEqual(["free-a", "free-b"]);
  // Six tenths of two plans of 10 requests a second, at 2.2 requests a job.
  expect(figures.jobsPerSecond).toBeCloseTo(5.45, 1);
  expect(notes).toMatch(/offers 5\.5 jobs\/s.* do not allow 10; expected more keys/);
  expect(figures.answered429).toBe(0);
});

it("are refused beyond their plans when told so, which breaks nothing", MARGIN, async () => {
  const given = { keys: ["free-a"], beyondPlan: true, jobsPerSecond: 30 };
  const { figures, findings } = await soak(given);
  expect(figures.jobsPerSecond).toBe(30);
  expect(figures.answered429).toBeGreaterThan(0);
  // Submissions that a 429's wait covers are not sent.
  expect(figures.throttled).toBeGreaterThan(figures.answered429);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
});
