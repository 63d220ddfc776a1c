/** The verdict on the promise of a fault, in a service of such choices. */

import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { Choices } from "../../reference/choices.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { findingOf } from "../contract/findings.ts";
import { judgeSimulated } from "../kill-matrix/simulated.ts";

export interface Hidden {
  fault: string;
  variant: Variant;
  choices: Partial<Choices>;
  /** Further promises that have to be asked for; left out: none. */
  beside?: readonly PromiseId[];
  loadMs?: number;
  /** Left out: 5. */
  seed?: number;
}

export async function foundWith(hidden: Hidden): Promise<Finding> {
  const { fault, variant, choices, beside = [], loadMs, seed = 5 } = hidden;
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
  return findingOf(findings, known.promise);
}
