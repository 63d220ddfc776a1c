/**
 * Faults that a lawful way of a service would hide: each is seen with the choices that hid it once.
 */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Choices } from "../../reference/choices.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

interface Hidden {
  fault: string;
  variant: Variant;
  choices: Partial<Choices>;
  /** Further promises whose scenarios have to run; left out: none. */
  with?: readonly PromiseId[];
}

/** Grouped by promise. */
const HIDDEN: readonly Hidden[] = [
  {
    fault: "auth.invalid-key/cancels",
    variant: "B",
    choices: { cancelRefusal: "404" },
    with: ["cancel.queued"],
  },
  {
    fault: "workers.category-filter/one-too-few",
    variant: "A",
    choices: { workersPagination: "next", extraFields: "yes" },
  },
  {
    fault: "submit.rejected-runs-nothing/charged",
    variant: "B",
    choices: { balanceDigits: "coarse", balanceUnit: "tokens" },
  },
  {
    fault: "submit.rejected-runs-nothing/price-held",
    variant: "A",
    choices: { balanceUnit: "usd", creditViews: "4" },
  },
  {
    fault: "submit.rejected-runs-nothing/without-credits-charged",
    variant: "A",
    choices: { creditViews: "4", balanceAfter: "3" },
  },
  {
    fault: "submit.rejected-runs-nothing/beyond-limit-charged",
    variant: "B",
    choices: { creditViews: "4", balanceDigits: "coarse", balanceUnit: "credits" },
    with: ["load.accounting"],
  },
  { fault: "job.timestamps/no-zone", variant: "A", choices: { stamps: "basic" } },
  { fault: "job.timestamps/no-milliseconds", variant: "B", choices: { stamps: "basic" } },
  { fault: "job.timestamps/out-of-order", variant: "A", choices: { stamps: "basic" } },
  { fault: "job.terminal-final/state-changes", variant: "B", choices: { storedAfter: "1.5" } },
  { fault: "job.terminal-final/cost-grows", variant: "B", choices: { costAfter: "3" } },
  {
    fault: "job.list-limit/older-ones",
    variant: "A",
    choices: { listLength: "20", listLag: "2" },
  },
  { fault: "timeout.fires/once-in-a-while", variant: "B", choices: { limitCheck: "early" } },
  {
    fault: "timeout.fires/once-in-a-while",
    variant: "A",
    choices: { limitCheck: "early", durationOf: "work", startUp: "cold" },
  },
  { fault: "timeout.under-load/charged", variant: "B", choices: { costAfter: "3" } },
];

it.each(HIDDEN)("$fault in variant $variant is seen with $choices", async (hidden) => {
  const { fault, variant, choices, with: others = [] } = hidden;
  const known = FAULTS.find(({ name }) => name === fault);
  if (known === undefined) throw new Error(`no fault "${fault}"`);
  const result = await simulateGate({
    seed: 5,
    service: { variant, choices: { ...choices, ...known.choices }, faults: [fault] },
    only: [known.promise, ...others],
  });
  expect(findingOf(result.findings, known.promise)).toMatchObject({ verdict: "broken" });
});
