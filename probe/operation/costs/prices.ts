/** What the catalogue says that a job costs: the estimate before the first one has ended. */

import { listedWorkers } from "../../../contract/answers/listed-workers.ts";
import type { JobCost } from "../../../contract/decode/job-types.ts";
import { listEntries } from "../../../contract/judges/workers.ts";
import type { Price, Spent } from "../../../contract/limits/budget.ts";
import { amountIn } from "../../../contract/limits/budget.ts";
import { greaterOf } from "../../../contract/numbers/figures.ts";
import { nap } from "../../clock.ts";
import type { Ceilings } from "../../journal/budget.ts";
import { SPANS } from "../../journal/budget.ts";
import type { Parts } from "../runs/run.ts";

/** Ours: a list that did not name the worker is asked again after this long for each page of it. */
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
  if (isNeeded && !prices.byWorker.has(workerId)) {
    if (clock.nowMs() >= prices.askAgainAtMs) ask(parts);
    await prices.asked;
  }
  const { credits, usd } = journal.price(workerId);
  return { credits, usd: greaterOf(usd, prices.byWorker.get(workerId) ?? null) };
}

/** Reads on beside the jobs where a long list takes longer than a submission waits for it. */
function ask(parts: Parts): void {
  const { prices, clock, signal } = parts;
  const wait = nap(clock, clock.nowMs() + ASK_WAIT_MS, signal);
  prices.askAgainAtMs = Number.POSITIVE_INFINITY;
  prices.asked = wait.over;
  void readPrices(parts).then((pages) => {
    prices.askAgainAtMs = clock.nowMs() + Math.max(1, pages) * ASK_AGAIN_MS;
    wait.wake();
  });
}

/** How many pages were asked for. Each tells its prices as soon as it is there. */
async function readPrices({ client, clock, prices, signal, target }: Parts): Promise<number> {
  let pages = 0;
  const askPage = async (query: string) => {
    pages += 1;
    const request = { route: "workers", query, timeoutMs: ASK_WAIT_MS } as const;
    const page = await client.send(request, clock.nowMs() + ASK_AGAIN_MS, signal);
    for (const { id, priceUsd } of listEntries(page ?? undefined) ?? []) {
      if (priceUsd !== null) prices.byWorker.set(id, priceUsd);
    }
    return page;
  };
  await listedWorkers(
    askPage,
    Object.values(target.workers).map(({ id }) => id),
  );
  return pages;
}

/** What a job says that it cost; null when it says nothing of it, or nothing that can be. */
export function statedCost(cost: JobCost | null): Spent | null {
  const credits = amountIn(cost?.credits);
  const usd = amountIn(cost?.totalUsd);
  if (credits === null && usd === null) return null;
  return { jobs: 1, credits: credits ?? 0, usd: usd ?? 0 };
}
