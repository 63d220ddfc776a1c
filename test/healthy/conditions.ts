/** The states in which a healthy service can be: variants, and what the spec leaves to choose. */

import type { Variant } from "../../contract/states.ts";
import type { ChoiceName, Choices } from "../../reference/choices.ts";
import { CHOICE_NAMES, CHOICES } from "../../reference/choices.ts";

export interface HealthyRun {
  variant: Variant;
  /** Runs of one name are counted together. */
  name: string;
  choices: Partial<Choices>;
  seed: number;
}

/** The service with its defaults, time and again. */
export function repeatedRuns(variant: Variant, count: number): readonly HealthyRun[] {
  return Array.from({ length: count }, (_, at) => {
    return { variant, name: "defaults", choices: {}, seed: at + 1 };
  });
}

/** Each value that is not the default, alone. */
export function singleChoices(variant: Variant): readonly HealthyRun[] {
  return CHOICE_NAMES.flatMap((name) =>
    CHOICES[name].values.slice(1).map((value) => ({
      variant,
      name: `${name}=${value}`,
      choices: { [name]: value } as Partial<Choices>,
      seed: 1,
    })),
  );
}

/** As many services as the longest list of values is long; each value is in one of them. */
export function mixedChoices(variant: Variant): readonly HealthyRun[] {
  const count = Math.max(...CHOICE_NAMES.map((name) => CHOICES[name].values.length));
  return Array.from({ length: count }, (_, row) => ({
    variant,
    name: `mix ${row + 1}`,
    choices: Object.fromEntries(
      CHOICE_NAMES.map((name, column) => [name, mixedValue(name, row, column, variant)]),
    ) as Partial<Choices>,
    seed: row + 1,
  }));
}

/** As many services for both variants together, in turn; each value is in one of them. */
export function mixesInTurn(): readonly HealthyRun[] {
  return mixedChoices("A").map((mix, row) => ({ ...mix, variant: row % 2 === 0 ? "A" : "B" }));
}

/** Shifted from choice to choice and from variant to variant, so that other values meet. */
function mixedValue(name: ChoiceName, row: number, column: number, variant: Variant): string {
  const values: readonly string[] = CHOICES[name].values;
  const turn = Math.floor(column / 2) + (variant === "A" ? 0 : 1) * column;
  return values[(row + turn) % values.length] ?? values[0] ?? "";
}
