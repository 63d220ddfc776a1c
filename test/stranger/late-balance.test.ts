/** A balance whose view is seconds late, in a field whose name tells no unit. */

import { expect, it } from "vitest";
import type { Target } from "../../contract/target.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";
import { strangerIn } from "./open-stranger.ts";

const CHOICES = ["balanceView=cached", "balanceAge=longer", "wallet=usd"];

/** So short that more than a tenth of the costs is younger than the view when all jobs end. */
function withShortLoad({ load, ...target }: Target): Target {
  const [key] = target.keys.filter(({ plan }) => plan === "pro");
  if (load === null || key === undefined) throw new Error("the target has no load");
  const short = { jobsPerSecond: 2, durationMs: 10_000, mix: { success: 1, slow: 1 } };
  return { ...target, load: { ...load, ...short, keys: [key.name] } };
}

it("is waited for before its unit is asked for", async () => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "standard",
    only: ["load.accounting"],
    openService: strangerIn({ variant: "B", choices: CHOICES, faults: [] }),
    target: withShortLoad,
  });
  const found = findingOf(findings, "load.accounting");
  expect([found.verdict, found.summary]).toEqual([
    "kept",
    expect.stringMatching(/20 jobs cost 9$/),
  ]);
});
