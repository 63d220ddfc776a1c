/** load.no-losses: each accepted job is accounted for: ended, or still on its way. Spec §1, §3. */

import type { Claim } from "../../judging/claim.ts";
import { alike, anything, countedClaim } from "../../judging/claim.ts";
import type { Violations } from "./violations.ts";
import { faultsOf } from "./violations.ts";

/** What became of the accepted jobs: each is in exactly one of the counts. */
export interface LedgerBalance {
  accepted: number;
  ended: number;
  /** Lawfully waiting or running when the soak was over. */
  inFlight: number;
  /** Of those, queued or starting up for much longer than others live, and not passed over. */
  overdue: number;
  /** Seen last with a status that is not one of the states, or in bodies that can't be read. */
  unreadable: number;
  /** Not to be found any more, running beyond all limits, or passed over in the queue. */
  lost: Violations;
  /** Neither an answer to their polls nor a webhook came. */
  unanswered: Violations;
}

export function noLossesClaim(balance: LedgerBalance, without: string): Claim {
  const { accepted, ended, inFlight, overdue, unreadable, lost, unanswered } = balance;
  const off = accepted - ended - inFlight - lost.count - unanswered.count - unreadable;
  return countedClaim({
    promise: "load.no-losses",
    faults: faultsOf(lost),
    open: [
      ...faultsOf(unanswered).map((each) => ({ ...each, what: "it could not be read at the end" })),
      ...alike(unreadable, "its state could not be read"),
      ...alike(overdue, "it had not run when the soak was over, long after others had ended"),
    ],
    good: ended,
    of: "jobs",
    off: "that were accepted are lost",
    kept: `${accepted} jobs accepted: ${ended} ended, ${inFlight} in flight`,
    without,
    hidden: off === 0 ? [] : [anything("too little seen", `the count of jobs is off by ${off}`)],
    quorum: { openShare: 0 },
    evidence: { accepted, ended, inFlight, overdue, unreadable, unanswered: unanswered.count },
  });
}
