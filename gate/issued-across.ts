/**
 * submit.unique-id over all runs of a gate: an account that two of them submitted to was issued the
 * same identifier in both. What one run sees twice, its own judges tell. Spec §2.4.
 */

import { countText } from "../contract/numbers/figures.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import { utc } from "../contract/time/timestamps.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { Issued, Shown } from "./shown.ts";

const PROMISE = "submit.unique-id";

/** Ours: more tell no more. */
const TOLD_MAX = 5;

interface Twice {
  /** Names of the two scenarios. */
  runs: readonly [string, string];
  first: Issued;
  second: Issued;
}

/** Broken or nothing. Identifiers may be counted by account, so accounts are not mixed. */
export function issuedAcross(runs: readonly Shown[], keys: readonly PlanKey[]): readonly Finding[] {
  const owners = ownersOf(keys);
  const known = new Map<string, { run: Shown; issued: Issued }>();
  const twice: Twice[] = [];
  for (const run of runs) {
    for (const second of run.issued) {
      const owner = owners.get(second.key ?? "");
      if (owner === undefined) continue;
      const own = JSON.stringify([owner, second.id]);
      const { run: earlier, issued: first } = known.get(own) ?? { run, issued: second };
      known.set(own, { run: earlier, issued: first });
      if (earlier === run) continue;
      twice.push({ runs: [nameOf(earlier), nameOf(run)], first, second });
    }
  }
  return brokenBy(twice, known.size);
}

function nameOf({ scenario, again }: Shown): string {
  return again === null ? scenario.name : `${scenario.name}-again`;
}

/** By name of the key. */
export function ownersOf(keys: readonly PlanKey[]): ReadonlyMap<string, string> {
  return new Map(keys.map((key) => [key.name, ownerOf(key)]));
}

/** Keys whose account is not declared may be of any: each stands for itself. */
function ownerOf({ account, name }: PlanKey): string {
  return JSON.stringify(account === null ? { key: name } : { account });
}

function brokenBy(twice: readonly Twice[], samples: number): readonly Finding[] {
  const [one] = twice;
  if (one === undefined) return [];
  const { runs, first, second } = one;
  const [before, after] = [first, second].map(({ atMs }) => utc(atMs));
  const where = `in ${runs[0]} at ${before}, and in ${runs[1]} at ${after}`;
  const more = twice.length === 1 ? "" : `; ${countText(twice.length, "identifier")} in all`;
  const jobs = [...new Set(twice.map(({ second: { id } }) => id))].slice(0, TOLD_MAX);
  const evidence = { samples, faults: twice.length, jobs };
  const exchanges = [first, second].flatMap(({ exchange }) => exchange ?? []);
  const what = `the identifier "${second.id}" was issued twice, ${where}; expected one a job`;
  return [broken(PROMISE, what + more, { evidence, exchanges })];
}
