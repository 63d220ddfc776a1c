/**
 * After a load, before its ledger is closed: reads that a load has none of, several of each, so
 * that a charge for them shows in the balance. Spec §1.4, §4.8.
 */

import { accountOf } from "../../contract/judges/load/accounting/readings.ts";
import type { Context } from "../client/context.ts";
import type { Soak } from "../load/soak.ts";

/** Ours: what a few jobs of others cost is doubtful; a third of a job each is more than that. */
const READS_EACH = 12;

/** With the fastest key of the account that had the fewest jobs, where little shows most. */
export async function readUnpriced(context: Context, { keys, tally, mix }: Soak): Promise<void> {
  const jobsOf = (key: (typeof keys)[number]) => tally.costs[accountOf(key)]?.jobs ?? 0;
  const paying = keys.filter((key) => jobsOf(key) > 0);
  const [key] = [...paying].sort((a, b) => jobsOf(a) - jobsOf(b));
  if (key === undefined) return;
  const parameter = mix.parts[0]?.worker.id ?? "";
  const routes = ["jobs", "workers", "deployments", "worker"] as const;
  const calls = routes.flatMap((route) => Array.from({ length: READS_EACH }, () => route));
  await Promise.all(
    calls.map((route) => {
      const named = route === "worker" ? { parameter } : {};
      return context.ask({ method: "GET", route, key: key.name, ...named });
    }),
  );
}
