/** A healthy service drawn from a seed: every lawful value of every choice equally often. */

import type { Variant } from "../contract/states.ts";
import { VARIANTS } from "../contract/states.ts";
import type { Choices } from "../reference/choices.ts";
import { CHOICE_NAMES, CHOICES } from "../reference/choices.ts";
import type { Draw } from "./chance.ts";
import { stream } from "./chance.ts";

export interface HealthyService {
  variant: Variant;
  choices: Choices;
}

export function healthyService(seed: number): HealthyService {
  const variant = pick(stream(seed, "variant"), VARIANTS);
  const drawn = CHOICE_NAMES.map((name) => {
    const values: readonly string[] = CHOICES[name].values;
    return [name, pick(stream(seed, `choice ${name}`), values)];
  });
  return { variant, choices: Object.fromEntries(drawn) as Choices };
}

function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  const value = values[Math.floor(draw() * values.length)];
  if (value === undefined) throw new Error("nothing to draw from");
  return value;
}
