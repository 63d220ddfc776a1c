/** What the catalogue says that a job costs: the estimate before the first one has ended. */

import type { JobCost } from "../../contract/decode/job-types.ts";
import { decodeWorkerList } from "../../contract/decode/worker.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import type { Ceilings, Price, Spent } from "../journal/budget.ts";
import { SPANS } from "../journal/budget.ts";
import type { Parts } from "./run.ts";

/** Ours: a list that did not name the worker is asked again after this long. */
const ASK_AGAIN_MS = 60_000;
/** Ours: a submission is not held up longer for the sake of its price. */
const ASK_WAIT_MS = 2_000;

/**
 * What a job of the worker may cost: the dearest so far, or what is advertised if that is more. The
 * list is asked for only where the budget has a ceiling in USD. Spec §2.2 has no price in credits.
 */
export async function priceOf(parts: Parts, workerId: string, ceilings: Ceilings): Promise<Price> {
  const { journal, prices, clock } = parts;
  const isNeeded = SPANS.some((span) => (ceilings[span]?.usd ?? null) !== null);
  const isDue = clock.nowMs() >= prices.askedAtMs + ASK_AGAIN_MS;
  if (isNeeded && !prices.byWorker.has(workerId)) {
    if (isDue) prices.asked = ask(parts);
    await prices.asked;
  }
  const { credits, usd } = journal.price(workerId);
  const advertised = prices.byWorker.get(workerId) ?? null;
  const dearer = usd === null ? advertised : Math.max(usd, advertised ?? 0);
  return { credits, usd: dearer };
}

async function ask({ client, clock, prices, signal }: Parts): Promise<void> {
  prices.askedAtMs = clock.nowMs();
  const timeoutMs = ASK_WAIT_MS;
  const byMs = clock.nowMs() + ASK_WAIT_MS;
  const answer = await client.send({ route: "workers", timeoutMs }, byMs, signal);
  if (answer === null || !isSuccess(answer)) return;
  for (const { id, priceUsd } of decodeWorkerList(jsonBody(answer)).value ?? []) {
    if (priceUsd !== null && priceUsd >= 0) prices.byWorker.set(id, priceUsd);
  }
}

/** One job's reservation; what is not known is not guessed at. */
export function estimateOf({ credits, usd }: Price): Spent {
  return { jobs: 1, credits: credits ?? 0, usd: usd ?? 0 };
}

/** What a job says that it cost; null when it says nothing of it. */
export function statedCost(cost: JobCost | null): Spent | null {
  const credits = amount(cost?.credits);
  const usd = amount(cost?.totalUsd);
  if (credits === null && usd === null) return null;
  return { jobs: 1, credits: credits ?? 0, usd: usd ?? 0 };
}

/** A negative cost is a broken promise, and no reason to raise the budget. */
function amount(value: number | null | undefined): number | null {
  return value == null || !Number.isFinite(value) ? null : Math.max(0, value);
}
