/** Judges failed requests of a soak against the share that the operator allows. Spec §7. */

import type { Finding } from "../../verdict.ts";
import { inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Offences } from "./offences.ts";
import { brokenBy } from "./offences.ts";

/** How a request fails under load; an answer 4xx is an answer. */
const ERROR_KINDS = ["5xx", "no answer", "malformed", "dripping"] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorTally {
  /** Requests sent to the service, without those that were answered 429. */
  requests: number;
  byKind: Readonly<Record<ErrorKind, number>>;
  failed: Offences;
}

/** Objective where the operator sets none. Source: promises.md. */
const DEFAULT_ERROR_SHARE = 0;
/** Ours: so few errors may be chance where a share of them is allowed. */
const ERRORS_MIN = 3;

export function judgeErrors(
  tally: ErrorTally,
  objectiveShare: number | null,
  doubt: string | null,
  without: string,
): Finding {
  const promise = "load.errors";
  const { requests, failed } = tally;
  if (requests === 0) return unobserved(promise, without);
  const allowed = objectiveShare ?? DEFAULT_ERROR_SHARE;
  const share = failed.count / requests;
  const evidence = { requests, share, objectiveShare: allowed, ...tally.byKind };
  if (doubt !== null) return inconclusive(promise, doubt, { evidence });
  const summary =
    `${failed.count} of ${requests} requests failed (${percent(share)}; ` +
    `objective ${percent(allowed)})${kindsOf(tally)}`;
  if (share <= allowed) return kept(promise, summary, { evidence });
  if (allowed > 0 && failed.count < ERRORS_MIN) {
    return inconclusive(promise, `${summary}; too few to tell`, { evidence });
  }
  return brokenBy(promise, failed, evidence, summary);
}

function kindsOf({ byKind }: ErrorTally): string {
  const seen = ERROR_KINDS.filter((kind) => byKind[kind] > 0);
  return seen.length === 0 ? "" : `: ${seen.map((kind) => `${byKind[kind]} ${kind}`).join(", ")}`;
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}
