/** Prices in USD as the catalogue advertises them, by worker. */

export interface PriceList {
  byWorker: Map<string, number>;
  /** When the catalogue was asked last. */
  askedAtMs: number;
}

export function newPriceList(): PriceList {
  return { byWorker: new Map(), askedAtMs: Number.NEGATIVE_INFINITY };
}
