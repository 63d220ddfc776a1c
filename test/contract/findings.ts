/** The findings of a judge or a run, by promise and by verdict. */

import type { PromiseId } from "../../contract/promises.ts";
import type { Finding, Verdict } from "../../contract/verdict.ts";

export function findingOf(findings: readonly Finding[], promise: string): Finding {
  const finding = findings.find((each) => each.promise === promise);
  if (finding === undefined) throw new Error(`no finding on ${promise}`);
  return finding;
}

/** Promises with that verdict, in the order of the findings. */
export function promisesWith(findings: readonly Finding[], verdict: Verdict): PromiseId[] {
  return findings.filter((each) => each.verdict === verdict).map(({ promise }) => promise);
}
