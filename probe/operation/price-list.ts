/** Prices in USD as the catalogue advertises them, by worker. */

export interface PriceList {
  byWorker: Map<string, number>;
  /** When the catalogue was asked last. */
  askedAtMs: number;
  /** Resolves when that was answered: who starts meanwhile must know the price as well. */
  asked: Promise<void>;
}

export function newPriceList(): PriceList {
  return { byWorker: new Map(), askedAtMs: Number.NEGATIVE_INFINITY, asked: Promise.resolve() };
}
