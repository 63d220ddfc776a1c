/** What a run of a worker costs, as the catalogue says; so that the bill is no surprise. */

import type { Price } from "../../contract/budget.ts";
import { creditsPerRun } from "../../contract/decode/credit-price.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import { listedWorkers } from "../../contract/listed-workers.ts";
import type { PlanKey } from "../../contract/run-plan.ts";
import type { CarefulSend } from "../careful-send.ts";

/** Credits as the detail tells them (variant A, Spec §2.3), and USD by the list. */
export async function priceOf(send: CarefulSend, key: PlanKey, workerId: string): Promise<Price> {
  const detail = await send(key, { route: "worker", parameter: workerId });
  return {
    credits: isSuccess(detail) ? creditsPerRun(jsonBody(detail)) : null,
    usd: await priceUsd(send, key, workerId),
  };
}

/** USD a run (Spec §2.2); null where the list does not show the worker or its price. */
async function priceUsd(send: CarefulSend, key: PlanKey, workerId: string): Promise<number | null> {
  const ask = (query: string) => send(key, { route: "workers", query });
  const entries = await listedWorkers(ask, [workerId]);
  return entries.find(({ id }) => id === workerId)?.priceUsd ?? null;
}
