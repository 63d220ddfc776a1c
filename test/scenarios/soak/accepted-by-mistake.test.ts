/** The balance is judged beside a load in which the service accepts what it should refuse. */

import { expect, it } from "vitest";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { strangerIn } from "../../stranger/open-stranger.ts";

/** Each lets a wrong body through; with this seed one is accepted while the load goes on. */
const LAX = [
  ...["lengths-not-checked", "optional-fields-unchecked", "enum-not-checked"],
  ...["minimum-ignored", "maximum-off-by-one", "fractions-for-integers"],
];

async function accountingBeside(faults: readonly string[]) {
  const openService = strangerIn({ variant: "B", choices: [], faults: [...LAX, ...faults] });
  const only = ["submit.schema-violation", "load.accounting"] as const;
  const { findings } = await simulateGate({ seed: 2, openService, profile: "quick", only });
  return findings.find(({ promise }) => promise === "load.accounting");
}

it("lost charges are named", async () => {
  const finding = await accountingBeside(["settlement-lost-update"]);
  expect(finding?.verdict, finding?.summary).toBe("broken");
});

it("what was accepted by mistake is no lost charge", async () => {
  const finding = await accountingBeside([]);
  expect(finding?.verdict, finding?.summary).toBe("inconclusive");
  expect(Object.keys(finding?.evidence ?? {})).not.toEqual([]);
});
