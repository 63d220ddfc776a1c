/** Chance from a seed, in the forms that a history is made of. */

import type { Draw } from "../../../../simulation/chance.ts";
import { between, stream, uuid } from "../../../../simulation/chance.ts";

export class Chance {
  readonly random: Draw;

  constructor(seed: number) {
    this.random = stream(seed, "history");
  }

  happens(probability: number): boolean {
    return this.random() < probability;
  }

  between(low: number, high: number): number {
    return between(this.random, low, high);
  }

  uuid(): string {
    return uuid(this.random);
  }

  /** One of the names, each as likely as its weight. */
  pick<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let rest = this.random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      rest -= weight;
      if (rest < 0) return name;
    }
    return entries[0]?.[0] as Name;
  }
}
