/** The option `--world` of the programs that judge in simulated surroundings. */

import type { SurroundingsName } from "../../simulation/worlds.ts";
import { ALL_SURROUNDINGS_NAMES, SURROUNDINGS_NAMES } from "../../simulation/worlds.ts";

/** That one, or all but `pressure` where none is named. Throws with what is wrong. */
export function askedWorlds(name: string | undefined): readonly SurroundingsName[] {
  if (name === undefined) return SURROUNDINGS_NAMES;
  const worlds = ALL_SURROUNDINGS_NAMES.filter((each) => each === name);
  if (worlds.length > 0) return worlds;
  throw new Error(`--world ${name}: expected one of: ${ALL_SURROUNDINGS_NAMES.join(", ")}`);
}
