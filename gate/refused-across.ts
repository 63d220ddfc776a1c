/**
 * account.readable over all runs of a gate: valid keys that were said to be none now and then, as
 * while an instance reads them anew. Twice it may be an accident of the store of keys. What one run
 * sees that often, its own judges tell. Spec §5.2.
 */

import { AWAY_MS, TIMES_AWAY_MAX, UNAUTHORIZED } from "../contract/judges/expected-status.ts";
import { stretchOf, timesAway } from "../contract/judges/load/refused-amid.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import { utc } from "../contract/time/timestamps.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { Shown } from "./shown.ts";

/** Broken or nothing. A key that is not served again may have been revoked meanwhile. */
export function refusedAcross(
  runs: readonly Pick<Shown, "keys">[],
  keys: readonly PlanKey[],
): readonly Finding[] {
  const shown = runs.map((run) => run.keys);
  const active = new Set(keys.flatMap(({ name, state }) => (state === "active" ? [name] : [])));
  const isServedAfter = ({ key, receivedAtMs }: Exchange) =>
    active.has(key ?? "") &&
    shown.some(({ servedAtMs }) => (servedAtMs.get(key ?? "") ?? 0) > receivedAtMs);
  const refused = shown
    .flatMap((each) => each.refused)
    .filter(isServedAfter)
    .sort((a, b) => a.sentAtMs - b.sentAtMs);
  const isOfLimit = (each: Exchange) => shown.some(({ byLimiter }) => byLimiter.has(each));
  const ofLoad = shown.flatMap((each) => each.stretches);
  const stretches = [...refused.map(stretchOf), ...ofLoad];
  const beside = [...refused.filter((each) => !isOfLimit(each)).map(stretchOf), ...ofLoad];
  // A limiter that refuses so has others' keys served all along.
  const isAccident = timesAway(stretches) <= TIMES_AWAY_MAX || timesAway(beside) < TIMES_AWAY_MAX;
  if (isAccident) return [];
  const times = timesAway(stretches);
  const [first, last] = [Math.min(...stretches), Math.max(...stretches)].map((at) =>
    utc(at * AWAY_MS),
  );
  const summary =
    `valid keys got ${UNAUTHORIZED} at ${times} times, from ${first} to ${last}, and were ` +
    "served in between and afterwards; promised that they are taken";
  const evidence = { samples: times, faults: times };
  return [broken("account.readable", summary, { evidence, exchanges: oneATime(refused) })];
}

function oneATime(refused: readonly Exchange[]): readonly Exchange[] {
  return [...new Map(refused.map((each) => [stretchOf(each), each] as const)).values()];
}
