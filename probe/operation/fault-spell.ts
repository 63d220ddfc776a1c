/**
 * Faulty answers in a row. They count once the service answers well again: until then it may be an
 * outage, which runs and checks report.
 */

import type { Exchange } from "../../contract/exchange.ts";

export interface FaultSpell {
  count: number;
  last: Exchange;
}

export class SpellOfFaults {
  #open: FaultSpell | null = null;

  get isOpen(): boolean {
    return this.#open !== null;
  }

  add(exchange: Exchange): void {
    this.#open = { count: (this.#open?.count ?? 0) + 1, last: exchange };
  }

  /** The spell that this good answer ends; null where there is none, or it was asked for before. */
  endedBy({ sentAtMs }: Exchange): FaultSpell | null {
    const spell = this.#open;
    if (spell === null || sentAtMs < spell.last.receivedAtMs) return null;
    this.#open = null;
    return spell;
  }
}
