/** Prices in USD as the catalogue advertises them, by worker. */

export interface PriceList {
  byWorker: Map<string, number>;
  /** Before that the catalogue is not asked again; Infinity while it is read. */
  askAgainAtMs: number;
  /** Resolves when it was read, or a submission has waited for that long enough. */
  asked: Promise<void>;
}

export function newPriceList(): PriceList {
  return { byWorker: new Map(), askAgainAtMs: Number.NEGATIVE_INFINITY, asked: Promise.resolve() };
}
