/** A balance in a field whose name tells no unit: seconds late, or with its currency beside it. */

import { expect, it } from "vitest";
import type { Target } from "../../contract/target.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";
import { strangerIn } from "./open-stranger.ts";

const LATE = ["balanceView=cached", "balanceAge=longer", "wallet=usd"];

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
    openService: strangerIn({ variant: "B", choices: LATE, faults: [] }),
    target: withShortLoad,
  });
  const found = findingOf(findings, "load.accounting");
  expect([found.verdict, found.summary]).toEqual([
    "kept",
    expect.stringMatching(/20 jobs cost 9$/),
  ]);
});

it("is judged in the currency that stands beside it", async () => {
  const { findings } = await simulateGate({
    seed: 2,
    profile: "quick",
    only: ["load.accounting"],
    openService: strangerIn({
      variant: "B",
      choices: ["wallet=usd"],
      faults: ["ledger-rounds-to-halves"],
    }),
  });
  const found = findingOf(findings, "load.accounting");
  expect([found.verdict, found.summary]).toEqual([
    "broken",
    expect.stringMatching(/wallet\.available \(USD\) fell by 14\.5 USD; 26 jobs cost 12\.4/),
  ]);
});
