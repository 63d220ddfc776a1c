/** Which faults are on, and whether one strikes now. */

import type { FaultName } from "./faults/index.ts";
import { STRANGER_FAULTS } from "./faults/index.ts";

export class Trouble {
  private readonly names: ReadonlySet<string>;
  private readonly random: () => number;

  /** Throws on a fault that nobody knows. */
  constructor(names: readonly string[], random: () => number) {
    for (const name of names) {
      if (!(name in STRANGER_FAULTS)) throw new Error(`unknown fault "${name}"`);
    }
    this.names = new Set(names);
    this.random = random;
  }

  has(name: FaultName): boolean {
    return this.names.has(name);
  }

  /** With the fault's own share, drawn anew each time. */
  strikes(name: FaultName): boolean {
    return this.has(name) && this.random() < STRANGER_FAULTS[name].share;
  }

  /** The same for one job whenever it is asked. */
  strikesJob(name: FaultName, job: { luck: number }): boolean {
    return this.has(name) && job.luck < STRANGER_FAULTS[name].share;
  }
}
