/** load.no-losses: each accepted job is accounted for: ended, or still on its way. Spec §1, §3. */

import type { Claim } from "../../judging/claim.ts";
import { alike, anything, countedClaim } from "../../judging/claim.ts";
import type { LoadTally } from "./tally.ts";
import { faultsOf } from "./violations.ts";

/** What became of the accepted jobs: each is in exactly one of the counts. */
export type LedgerBalance = Pick<
  LoadTally,
  "accepted" | "ended" | "inFlight" | "overdue" | "unreadable" | "lost" | "unanswered"
>;

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
    notTried: inFlight === 0 ? [] : [`the ends of ${inFlight} jobs that were still in flight`],
    evidence: { accepted, ended, inFlight, overdue, unreadable, unanswered: unanswered.count },
  });
}
