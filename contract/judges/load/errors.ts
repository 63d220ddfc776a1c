/** load.errors: failed requests of a soak against the share that the operator allows. Spec §7. */

import type { Claim, Explanation } from "../../judging/claim.ts";
import { anythingIf, upTo } from "../../judging/claim.ts";
import { percent } from "../../numbers/figures.ts";
import { QUOTES_MAX } from "../../verdict.ts";
import type { LoadTally } from "./tally.ts";
import { ERROR_KINDS } from "./tally.ts";
import type { Violations } from "./violations.ts";
import { mergeViolations } from "./violations.ts";

/** Evidence of earlier versions counts no moments. */
type Failures = Pick<LoadTally, "requests" | "errors" | "failed" | "idleCloses" | "slow"> &
  Partial<Pick<LoadTally, "idleMoments">>;

/** Ours: the last byte of so short a body follows the first at once, unless somebody drips it. */
export const DRIPPING_MS = 700;

/** Objective where the operator sets none. Source: promises.md. */
const DEFAULT_ERROR_SHARE = 0;
/** Ours: so few errors may be chance where a share of them is allowed. */
const ERRORS_MIN = 3;
/** Ours: seldom does a request meet the moment in which idle connections are closed. */
const IDLE_CLOSE_SHARE_MAX = 0.0005;
/** Ours: of the connections that are closed together so many are used in that moment. */
const CLOSED_AT_ONCE_MAX = 3;
/** Ours: whoever stood still for half of it reads a whole body as if it dripped. */
const STALL_MS_MIN = DRIPPING_MS / 2;

/**
 * `stallMs`: the longest that this machine let a thread stand still; `refused`: submissions that
 * were refused for a reason that there was not.
 */
export function errorsClaim(
  tally: Failures,
  stallMs: number,
  objectiveShare: number | null,
  without: string,
  refused: Violations,
): Claim {
  const { requests, errors } = tally;
  const failed = mergeViolations(tally.failed, refused);
  const allowed = objectiveShare ?? DEFAULT_ERROR_SHARE;
  const share = failed.count / requests;
  const what =
    `${failed.count} of ${requests} requests failed (${percent(share, 2)}; ` +
    `objective ${percent(allowed, 2)})${kindsOf(errors, refused.count)}`;
  const exchanges = failed.kept.flatMap((each) => each.exchanges);
  const isFew = allowed > 0 && failed.count < ERRORS_MIN;
  return {
    promise: "load.errors",
    unit: "share",
    tolerated: { low: 0, high: allowed },
    samples:
      requests === 0
        ? []
        : [{ low: share, high: share, what, above: oursAtWorst(tally, stallMs), exchanges }],
    looks: requests,
    of: "requests",
    kept: what,
    without,
    explanations: anythingIf(isFew, "too little seen", "too few to tell"),
    evidence: {
      requests,
      share,
      objectiveShare: allowed,
      ...errors,
      refused: refused.count,
      failures: failed.kept.slice(0, QUOTES_MAX).map((each) => each.what),
    },
  };
}

/** Failures that need not be the service's. */
function oursAtWorst(
  { requests, errors, idleCloses, idleMoments = idleCloses, slow }: Failures,
  stallMs: number,
): readonly Explanation[] {
  const momentsMax = Math.max(1, requests * IDLE_CLOSE_SHARE_MAX);
  const likely = idleCloses * Math.min(1, momentsMax / Math.max(1, idleMoments));
  const closes = Math.min(likely, momentsMax * CLOSED_AT_ONCE_MAX);
  const stalled = stallMs > STALL_MS_MIN ? slow : 0;
  const unsent = "this machine had no descriptors or ports left";
  return [
    ...upTo(closes / requests, "network", "idle connections may explain some"),
    ...upTo(errors["not sent"] / requests, "host lag", unsent),
    ...upTo(stalled / requests, "host lag", "this machine may explain some"),
  ];
}

function kindsOf(errors: Failures["errors"], refused: number): string {
  const seen = ERROR_KINDS.filter((kind) => errors[kind] > 0).map((kind) => {
    return `${errors[kind]} ${kind}`;
  });
  const all = refused === 0 ? seen : [...seen, `${refused} refused amid others accepted`];
  return all.length === 0 ? "" : `: ${all.join(", ")}`;
}
