/** submit.unique-id over the shards of a load: what two of them were issued. Spec §2.4. */

import { issuedIdIn } from "../../decode/accepted.ts";
import { utc } from "../../time/timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive } from "../../verdict.ts";
import type { Passing } from "../passing.ts";
import type { LoadTally } from "./tally.ts";
import type { Violation } from "./violations.ts";

/** What one shard sees twice, it tells by itself; this is what two of them were issued. */
export function issuedTwice({ issued }: LoadTally): readonly Finding[] {
  const again = Object.entries(issued.again);
  return again.map(([job, times]) => {
    const at = times.map(utc).join(" and ");
    const what = `the identifier "${job}" was issued to two shards of the load, to submissions at`;
    const evidence = { samples: 1, faults: 1, job };
    return broken("submit.unique-id", `${what} ${at}; expected one a job`, { evidence });
  });
}

/**
 * Jobs of a load that were issued one identifier were followed as one, and whose it was nobody can
 * tell: what that breaks is no other promise's fault. Lost jobs are known by their identifiers: if
 * one of them is its own, it is lost.
 */
export function whoseIsWhose(
  passing: Passing,
  { issued, lost }: Pick<LoadTally, "issued" | "lost">,
  findings: readonly Finding[],
): readonly Finding[] {
  const [first] = passing["submit.unique-id"]?.kept ?? [];
  if (first === undefined) return findings;
  const shared = new Set([...Object.keys(issued.again), ...(issued.twice ?? [])]);
  const isLost = lost.kept.some((each) => idsIn(each).some((id) => !shared.has(id)));
  return findings.flatMap((finding) => {
    const { promise, verdict, evidence, inPassing = false } = finding;
    if (verdict !== "broken" || !OF_SINGLE_JOBS.test(promise)) return [finding];
    if (promise === "load.no-losses" && isLost) return [finding];
    return inPassing ? [] : [inconclusive(promise, first.summary, { evidence })];
  });
}

function idsIn({ exchanges }: Violation): readonly string[] {
  return exchanges.flatMap((each) => (each.route === "submit" ? (issuedIdIn(each) ?? []) : []));
}

/** Promises that speak of one job each: broken by what is read under its identifier. */
export const OF_SINGLE_JOBS =
  /^(cancel|job|timeout|webhook)\.|^load\.(no-losses|webhooks|accounting)$/;
