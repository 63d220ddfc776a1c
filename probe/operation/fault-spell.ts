/**
 * Faulty answers in a row. They count once the service answers well again: until then it may be an
 * outage, which runs and checks report.
 */

import type { Exchange } from "../../contract/requests/exchange.ts";

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
  endedBy({ sentAtMs }: Pick<Exchange, "sentAtMs">): FaultSpell | null {
    const spell = this.#open;
    if (spell === null || sentAtMs < spell.last.receivedAtMs) return null;
    this.#open = null;
    return spell;
  }
}

/** Ours: one faulty answer may be the network's or a restart's; two within this are not. */
export const AGAIN_WITHIN_MS = 10 * 60_000;

/** Spells between good answers, which are news from the second within ten minutes on. */
export class RecurringFaults {
  readonly #spell = new SpellOfFaults();
  #lastAtMs = Number.NEGATIVE_INFINITY;

  add(exchange: Exchange): void {
    this.#spell.add(exchange);
  }

  /** The spell that this good answer ends; null where there is none, or it is the first. */
  endedBy(answered: Pick<Exchange, "sentAtMs">): FaultSpell | null {
    const ended = this.#spell.endedBy(answered);
    if (ended === null) return null;
    const { receivedAtMs } = ended.last;
    const isAgain = receivedAtMs - this.#lastAtMs < AGAIN_WITHIN_MS;
    this.#lastAtMs = receivedAtMs;
    return isAgain ? ended : null;
  }
}
