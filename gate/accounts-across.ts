/**
 * account.readable over all runs of a gate: whose account an answer tells of shows by what others
 * were told, in whatever run. What one run sees, its own judges tell. Spec §4.8.
 */

import { judgeAccountNamed } from "../contract/judges/account-named.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import type { Finding } from "../contract/verdict.ts";
import type { Shown } from "./shown.ts";

/** Broken or nothing. */
export function accountsAcross(
  runs: readonly Pick<Shown, "accounts">[],
  keys: readonly PlanKey[],
): readonly Finding[] {
  const seen = Map.groupBy(
    runs.flatMap(({ accounts }) => once(accounts)),
    ({ key }) => key,
  );
  const shots = [...seen].flatMap(([key, exchanges]) => (key === null ? [] : [{ key, exchanges }]));
  return judgeAccountNamed(shots, keys);
}

/** Scenarios show the same answer to several judges. */
function once(exchanges: readonly Exchange[]): readonly Exchange[] {
  const told = exchanges.map((each) => {
    return [`${each.key} ${each.path} ${each.sentAtMs} ${each.receivedAtMs}`, each] as const;
  });
  return [...new Map(told).values()];
}
