/** A load that Node sends, in its own process: judged as one that k6 sends, faults included. */

import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { gateScenarios, machineScenario } from "../../cli/files/scenario-files.ts";
import type { LoadPlan, RunPlan } from "../../contract/run/run-plan.ts";
import { runGate } from "../../gate/gate.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { openReference } from "../reference/open-reference.ts";
import { k6Here } from "../runner/k6-here.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const MARGIN = { timeout: 600_000 };
const LOAD = { durationMs: 6_000, jobsPerSecond: 25, mix: { success: 1 } };
const OWN = ["load.no-losses", "load.webhooks", "load.accounting"] as const;
const ONLY = [...OWN, "submit.unique-id"] as const;

const figures = z.object({
  offered: z.number(),
  generator: z.object({ dropped: z.number() }),
});

interface Asked {
  profile: RunPlan["profile"];
  load?: Partial<LoadPlan>;
  faults?: readonly string[];
}

/** Verdicts by promise, jobs that were due, and the files that were kept beside the report. */
async function judged({ profile, load = {}, faults = [] }: Asked) {
  const service = await openReference({ timeScale: 0.02, faults });
  const { target, secrets } = embeddedTarget(service);
  if (target.load === null) throw new Error("the embedded service has a load");
  const outputDir = await temporaryFolder();
  const { findings, measurements } = await runGate({
    target: { ...target, load: { ...target.load, ...LOAD, ...load } },
    secrets,
    profile,
    only: ONLY,
    seed: 1,
    outputDir,
    k6: await k6Here(),
    scenarios: gateScenarios().filter(({ name }) => name === "soak"),
    machine: machineScenario(),
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: () => {},
  });
  const { offered, generator } = figures.parse(measurements.load?.[0]);
  return {
    verdicts: Object.fromEntries(findings.map(({ promise, verdict }) => [promise, verdict])),
    // A machine that stands still for two seconds offers none of what was due meanwhile.
    due: offered + generator.dropped,
    files: await readdir(path.join(outputDir, "k6")),
  };
}

const KEPT = Object.fromEntries(OWN.map((promise) => [promise, "kept"]));
const JOBS = (LOAD.durationMs / 1_000) * LOAD.jobsPerSecond;

it("carries a soak, and any load whose target asks for it", MARGIN, async () => {
  const all = await Promise.all([
    judged({ profile: "soak" }),
    judged({ profile: "quick", load: { generator: "node", shards: 2 } }),
  ]);
  for (const { verdicts, due, files } of all) {
    expect(verdicts).toMatchObject(KEPT);
    expect(due).toBe(JOBS);
    // k6 alone writes a summary of its metrics, and for a soak not even k6.
    expect(files).not.toContain("soak.summary.json");
  }
});

it("sees jobs that are lost, and identifiers that are issued twice", MARGIN, async () => {
  const faults = ["load.no-losses/1-in-20", "submit.unique-id/repeated"];
  const { verdicts } = await judged({ profile: "soak", faults });
  expect(verdicts).toMatchObject({ "load.no-losses": "broken", "submit.unique-id": "broken" });
});
