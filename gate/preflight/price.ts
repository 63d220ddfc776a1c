/** What runs of workers cost, as the catalogue says; so that the bill is no surprise. */

import { listedWorkers } from "../../contract/answers/listed-workers.ts";
import { creditsPerRun } from "../../contract/decode/credit-price.ts";
import type { Price } from "../../contract/limits/budget.ts";
import { UNPRICED } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/requests/exchange.ts";
import { mixParts } from "../../contract/run/load-mix.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import type { CarefulSend } from "../careful-send.ts";

/** By the id of each worker. */
export type Prices = ReadonlyMap<string, Price>;

/**
 * Of the workers whose details are given: credits as these tell them (variant A, Spec §2.3), and
 * USD by the list (Spec §2.2); null where it does not show the worker or its price.
 */
export async function pricesOf(
  send: CarefulSend,
  key: PlanKey,
  details: ReadonlyMap<string, Exchange>,
): Promise<Prices> {
  const ask = (query: string) => send(key, { route: "workers", query });
  const entries = details.size === 0 ? [] : await listedWorkers(ask, [...details.keys()]);
  const prices = [...details].map(([id, detail]): [string, Price] => {
    const credits = isSuccess(detail) ? creditsPerRun(jsonBody(detail)) : null;
    return [id, { credits, usd: entries.find((entry) => entry.id === id)?.priceUsd ?? null }];
  });
  return new Map(prices);
}

/** Of a job on average, where parts come as often as in a load. Ours: other scenarios are alike. */
export function usualPrice({ workers }: Pick<Target, "workers">, prices: Prices): Price {
  const { parts } = mixParts({ load: null, cancel: null, workers });
  const priced = parts.map(({ part, worker, weight }) => {
    const price = prices.get(worker.id) ?? UNPRICED;
    return { weight, price: part === "timeout" ? freeOf(price) : price };
  });
  const mean = (unit: keyof Price) => {
    const known = priced.flatMap(({ weight, price }) => {
      const amount = price[unit];
      return amount === null ? [] : [{ weight, amount }];
    });
    const weights = known.reduce((sum, { weight }) => sum + weight, 0);
    const total = known.reduce((sum, { weight, amount }) => sum + weight * amount, 0);
    return weights === 0 ? null : total / weights;
  };
  return { credits: mean("credits"), usd: mean("usd") };
}

/** A timeout costs nothing. Spec §1.4. */
function freeOf({ credits, usd }: Price): Price {
  return { credits: credits === null ? null : 0, usd: usd === null ? null : 0 };
}
