/** What a run of a worker costs, as the catalogue says; so that the bill is no surprise. */

import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import type { PlanKey } from "../../contract/run-plan.ts";
import type { PacedSend } from "./paced-client.ts";

/** USD a run (Spec §2.2); null where the list does not show the worker or its price. */
export async function priceUsd(
  send: PacedSend,
  key: PlanKey,
  workerId: string,
): Promise<number | null> {
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
