/** What a run of a worker costs, as the catalogue says; so that the bill is no surprise. */

import { creditsPerRun } from "../../contract/decode/credit-price.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import type { PlanKey } from "../../contract/run-plan.ts";
import type { JobPrice } from "../cost.ts";
import type { PacedSend } from "./paced-client.ts";

/** Credits as the detail tells them (variant A, Spec §2.3), and USD by the list. */
export async function priceOf(send: PacedSend, key: PlanKey, workerId: string): Promise<JobPrice> {
  const detail = await send(key, { route: "worker", parameter: workerId });
  return {
    credits: isSuccess(detail) ? creditsPerRun(jsonBody(detail)) : null,
    usd: await priceUsd(send, key, workerId),
  };
}

/** USD a run (Spec §2.2); null where the list does not show the worker or its price. */
async function priceUsd(send: PacedSend, key: PlanKey, workerId: string): Promise<number | null> {
  const answer = await send(key, { route: "workers" });
  const body = isSuccess(answer) ? jsonBody(answer) : undefined;
  const workers = (body as { workers?: unknown } | null | undefined)?.workers;
  if (!Array.isArray(workers)) return null;
  const entry = (workers as unknown[]).find(
    (each) => (each as { worker_id?: unknown } | null)?.worker_id === workerId,
  );
  const price = (entry as { price_per_run_usd?: unknown } | undefined)?.price_per_run_usd;
  return typeof price === "number" && price >= 0 ? price : null;
}
