/** The one verdict and exit code of a run, by rules that never take silence for success. */

import { countText } from "../contract/numbers/figures.ts";
import { isPromisedIn } from "../contract/promises.ts";
import type { Variant } from "../contract/states.ts";
import type { Finding, Verdict } from "../contract/verdict.ts";
import type { ExitCode } from "./exit-codes.ts";
import { EXIT } from "./exit-codes.ts";

export interface RunVerdict {
  verdict: "pass" | "fail" | "none";
  exitCode: ExitCode;
  reason: string;
}

export interface VerdictInput {
  findings: readonly Pick<Finding, "promise" | "verdict">[];
  only: readonly Finding["promise"][] | null;
  strict: boolean;
  interrupted: boolean;
  /** It was called off, as the service answered nobody any more. */
  isUnavailable?: boolean;
  /** Variant that the target speaks; null when no answer told. */
  variant: Variant | null;
}

/** Broken wins over doubt, doubt over success; an interrupted run never passes. */
export function runVerdict(input: VerdictInput): RunVerdict {
  const { findings, only, strict, variant } = input;
  const brokenCount = countOf(findings, "broken");
  if (input.interrupted) {
    const verdict = brokenCount > 0 ? "fail" : "none";
    return { verdict, exitCode: EXIT.interrupted, reason: "interrupted before its end" };
  }
  if (brokenCount > 0) {
    const reason = `${countText(brokenCount, "promise")} broken`;
    return { verdict: "fail", exitCode: EXIT.broken, reason };
  }
  if (input.isUnavailable) {
    const reason = "target unavailable: the run was called off, as nobody was answered any more";
    return { verdict: "none", exitCode: EXIT.noVerdict, reason };
  }
  const asked = only === null ? findings : findings.filter((each) => only.includes(each.promise));
  const owed = asked.filter((each) => isPromisedIn(variant, each.promise));
  const doubt = doubtAbout(owed, strict || only !== null);
  if (doubt !== null) return { verdict: "none", exitCode: EXIT.noVerdict, reason: doubt };
  const reason = `${countText(countOf(owed, "kept"), "promise")} kept, none broken`;
  return { verdict: "pass", exitCode: EXIT.ok, reason };
}

function doubtAbout(asked: VerdictInput["findings"], allMustBeJudged: boolean): string | null {
  const inconclusive = countOf(asked, "inconclusive");
  if (inconclusive > 0) return `${countText(inconclusive, "promise")} inconclusive`;
  const unobserved = countOf(asked, "unobserved");
  if (allMustBeJudged && unobserved > 0) {
    return `${countText(unobserved, "promise")} asked for and unobserved`;
  }
  return countOf(asked, "kept") === 0 ? "no promise was judged" : null;
}

export function countOf(findings: readonly { verdict: Verdict }[], verdict: Verdict): number {
  return findings.filter((each) => each.verdict === verdict).length;
}
