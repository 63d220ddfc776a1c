/** Faults that a lawful way of a service would hide, seen with the choices that hid them once. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { Variant } from "../../../contract/states.ts";
import type { Choices } from "../../../reference/choices.ts";
import { FAULTS } from "../../../reference/faults/index.ts";
import { findingOf } from "../../contract/findings.ts";
import { judgeSimulated } from "../../kill-matrix/simulated.ts";

export interface Hidden {
  fault: string;
  variant: Variant;
  choices: Partial<Choices>;
  /** Further promises whose scenarios have to run; left out: none. */
  beside?: readonly PromiseId[];
  loadMs?: number;
  /** Left out: 5. */
  seed?: number;
}

export function itSees(hidden: readonly Hidden[]): void {
  it.each(hidden)("$fault in variant $variant with $choices", async (each) => {
    const { fault, variant, choices, beside = [], loadMs, seed = 5 } = each;
    const known = FAULTS.find(({ name }) => name === fault);
    if (known === undefined) throw new Error(`no fault "${fault}"`);
    const { findings } = await judgeSimulated({
      seed,
      variant,
      choices: { ...choices, ...known.choices },
      faults: [fault],
      only: [known.promise, ...beside],
      ...(loadMs === undefined ? {} : { loadMs }),
    });
    expect(findingOf(findings, known.promise)).toMatchObject({ verdict: "broken" });
  });
}
