/**
 * Jobs that share an identifier: what is read under it is nobody's, or rather that of whichever job
 * the service shows. submit.unique-id alone is judged by them. Spec §2.4.
 */

import { mentions } from "../contract/jobs/mentions.ts";
import { OF_SINGLE_JOBS } from "../contract/judges/load/issued-twice.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import type { Finding, Json } from "../contract/verdict.ts";
import { inconclusive } from "../contract/verdict.ts";
import { ownersOf } from "./issued-across.ts";
import type { Shown } from "./shown.ts";

const UNIQUE = "submit.unique-id";

/** Ours: as short a number may be any figure of a finding. */
const MAY_BE_FIGURE = /^\d{1,5}$/;

/** Identifiers of a run's jobs, and those among them that two submissions were issued. */
interface Ids {
  all: ReadonlySet<string>;
  shared: ReadonlySet<string>;
}

type Found = readonly Finding[];

/**
 * Takes out of findings what speaks against other promises by such jobs alone, if `found` calls it
 * broken that they share identifiers: left out where it was seen in passing, else in doubt. What
 * names another job, or none, stays.
 */
export function sharedInDoubt(
  runs: readonly Shown[],
  keys: readonly PlanKey[],
  found: Found,
): (findings: Found) => Found {
  const twice = found.filter((each) => each.promise === UNIQUE && each.verdict === "broken");
  if (twice.length === 0) return (findings) => findings;
  const ids = idsOf(
    runs,
    keys,
    twice.flatMap(({ evidence }) => jobsIn(evidence)),
  );
  return (findings) => findings.flatMap((finding) => unlessShared(finding, ids));
}

/**
 * Identifiers may be counted by account, so accounts are not mixed. `told`: what findings name
 * already, as those of a load, which keeps no submissions.
 */
function idsOf(runs: readonly Shown[], keys: readonly PlanKey[], told: readonly string[]): Ids {
  const owners = ownersOf(keys);
  const shared = new Set(told);
  const all = new Set(told);
  const owned = new Set<string>();
  for (const { id, key, isShared } of runs.flatMap(({ issued }) => issued)) {
    const own = JSON.stringify([owners.get(key ?? "") ?? key, id]);
    if (isShared || owned.has(own)) shared.add(id);
    owned.add(own);
    all.add(id);
  }
  return { all, shared };
}

function unlessShared(finding: Finding, ids: Ids): Found {
  const { promise, verdict, summary, evidence, inPassing = false } = finding;
  if (verdict !== "broken" || !OF_SINGLE_JOBS.test(promise)) return [finding];
  const named = jobsNamed(finding, ids);
  if (named.length === 0 || named.some((id) => !ids.shared.has(id))) return [finding];
  const reason = `several jobs have the identifier "${named[0]}": ${summary}`;
  const explainedBy = [{ promise: UNIQUE }] as const;
  return inPassing ? [] : [inconclusive(promise, reason, { evidence, explainedBy })];
}

/** By its words, or else its requests; answers may list jobs that it does not speak of. */
function jobsNamed({ summary, evidence, observations }: Finding, { all }: Ids): readonly string[] {
  const said = JSON.stringify([summary, evidence.examples ?? []]);
  const named = [...all].filter((id) => !MAY_BE_FIGURE.test(id) && mentions(said, id));
  if (named.length > 0) return named;
  return [...all].filter((id) => observations.some(({ request }) => mentions(request, id)));
}

/** What evidence names as jobs, wherever in it. */
function jobsIn(evidence: Json): readonly string[] {
  if (typeof evidence !== "object" || evidence === null) return [];
  return Object.entries(evidence).flatMap(([name, value]) =>
    name === "job" && typeof value === "string" ? [value] : jobsIn(value),
  );
}
