/**
 * After a load, before its ledger is closed: reads that a load has none of, several of each, so
 * that a charge for them shows in the balance. Spec §1.4, §4.8.
 */

import { accountOf } from "../../contract/judges/load/accounting/readings.ts";
import type { Context } from "../client/context.ts";
import { pacePerSecond } from "../client/pacer.ts";
import { planKey } from "../client/plan.ts";
import type { LoadedKey } from "../load/offered/rates.ts";
import type { Soak } from "../load/soak.ts";

/** Ours: what a few jobs of others cost is doubtful; a third of a job each is more than that. */
const READS_EACH = 12;

const ROUTES = ["jobs", "workers", "deployments", "worker"] as const;
/** Ours: in so long, unless no key is that fast. */
const READ_SECONDS_MAX = 2;

/** With a key of the account that had the fewest jobs, where little shows most. */
export async function readUnpriced(context: Context, { keys, tally, mix }: Soak): Promise<void> {
  const calls = ROUTES.flatMap((route) => Array.from({ length: READS_EACH }, () => route));
  const jobsOf = (key: LoadedKey) => tally.costs[accountOf(key)]?.jobs ?? 0;
  const isFast = ({ name }: LoadedKey) =>
    pacePerSecond(planKey(context.plan, name)) * READ_SECONDS_MAX >= calls.length;
  const paying = keys.filter((key) => jobsOf(key) > 0);
  const inTime = paying.filter(isFast);
  const [key] = (inTime.length > 0 ? inTime : paying).toSorted((a, b) => jobsOf(a) - jobsOf(b));
  if (key === undefined) return;
  const parameter = mix.parts[0]?.worker.id ?? "";
  await Promise.all(
    calls.map((route) => {
      const named = route === "worker" ? { parameter } : {};
      return context.ask({ method: "GET", route, key: key.name, ...named });
    }),
  );
}
