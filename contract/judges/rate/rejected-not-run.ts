/** rate.rejected-not-run: a submission answered 429 leaves no job behind. Spec §7. */

import type { Exchange } from "../../exchange.ts";
import type { Claim, Explanation } from "../../judging/claim.ts";
import { countedClaim } from "../../judging/claim.ts";

/** One round of submissions on an exhausted key, with the job list before and after it. */
export interface RejectedRound {
  submissions: readonly Exchange[];
  /** False when the list could not be read, or did not show a job that was accepted. */
  listIsWitness: boolean;
  /** Jobs of the same worker that appeared in the list and that nobody was told of. */
  unexplained: readonly string[];
  /** Those of them that show the mark which only a refused submission carried. */
  marked: readonly string[];
}

export interface RejectedStage {
  rounds: readonly RejectedRound[];
  /** Why there are no more of them. */
  reason: string;
}

export function rejectedNotRunClaim({ rounds: all, reason }: RejectedStage): Claim {
  const isRefused = ({ status }: Exchange) => status === 429;
  const rounds = all.filter(({ submissions }) => submissions.some(isRefused));
  const exchanges = rounds.flatMap(({ submissions }) => submissions.filter(isRefused));
  const unexplained = rounds.filter((round) => round.unexplained.length > 0);
  const isEachTime = unexplained.length > 1 && unexplained.length === rounds.length;
  const jobs = rounds.flatMap((round) => round.unexplained);
  const marked = rounds.flatMap((round) => round.marked);
  const isWitness = rounds.some(({ listIsWitness }) => listIsWitness);
  const ran = "a submission answered 429 ran: its mark is in a job's result";
  const left = `${exchanges.length} submissions answered 429 left ${jobs.length} jobs each time`;
  const why = "jobs appeared that may be another caller's";
  const stranger: Explanation = { cause: "others' use", atMost: Infinity, why };
  const none = all.length > 0 && rounds.length === 0;
  return countedClaim({
    promise: "rate.rejected-not-run",
    of: "submissions",
    faults: [
      ...(marked.length > 0 ? [{ what: ran, exchanges }] : []),
      ...(isWitness && jobs.length > 0
        ? [{ what: left, exchanges, above: isEachTime ? [] : [stranger] }]
        : []),
    ],
    open: none ? [{ what: "no submission was answered 429" }] : [],
    good: isWitness ? exchanges.length : 0,
    kept: `none of ${exchanges.length} submissions answered 429 left a job`,
    without: all.length === 0 ? reason : "the job list does not show which jobs exist",
    evidence: { refused: exchanges.length, unexplainedJobs: jobs, markedJobs: marked },
  });
}
