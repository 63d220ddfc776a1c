/** rate.rejected-not-run: a submission answered 429 leaves no job behind. Spec §7. */

import type { Claim } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import type { Exchange } from "../../requests/exchange.ts";

/** One round of submissions on an exhausted key, with the job list before and after it. */
export interface RejectedRound {
  submissions: readonly Exchange[];
  /** False when the list could not be read, or did not show a job that was accepted. */
  listIsWitness: boolean;
  /** Jobs of the same worker that appeared in the list and that nobody was told of. */
  unexplained: readonly string[];
  /** Those of them that show the mark which only a refused submission carried. */
  marked: readonly string[];
  /** Jobs that appeared after it while nothing was submitted; left out: nobody watched. */
  strangers?: readonly string[];
}

export interface RejectedStage {
  rounds: readonly RejectedRound[];
  /** Why there are no more of them. */
  reason: string;
}

/** Where nothing is refused, no submission is. */
const UNLIMITED = [{ promise: "rate.limited" }] as const;

export function rejectedNotRunClaim({ rounds: all, reason }: RejectedStage): Claim {
  const rounds = all.filter(({ submissions }) => submissions.some(isRefused));
  const witnessed = rounds.filter(({ listIsWitness }) => listIsWitness);
  const left = witnessed.filter(({ unexplained }) => unexplained.length > 0);
  const jobs = left.flatMap(({ unexplained }) => unexplained);
  const marked = rounds.flatMap((round) => round.marked);
  const ran = "a submission answered 429 ran: a job's result has its marker";
  const seen = refusedIn(witnessed);
  const what = `${seen.length} submissions answered 429 created ${jobs.length} jobs each time`;
  const isQuiet = rounds.every(({ strangers = [] }) => strangers.length === 0);
  const isEachTime = isQuiet && left.length > 1 && left.length === rounds.length;
  const stranger = anything("others' use", "jobs appeared that may be another caller's");
  const none = all.length > 0 && rounds.length === 0;
  return countedClaim({
    promise: "rate.rejected-not-run",
    of: "submissions",
    faults: [
      ...(marked.length > 0 ? [{ what: ran, exchanges: refusedIn(rounds) }] : []),
      ...(jobs.length > 0 ? [{ what, exchanges: seen, above: isEachTime ? [] : [stranger] }] : []),
    ],
    open: none ? [{ what: "no submission was answered 429", explainedBy: UNLIMITED }] : [],
    good: seen.length,
    kept: `none of ${seen.length} submissions answered 429 created a job`,
    without: all.length === 0 ? reason : "the job list does not show which jobs exist",
    evidence: { refused: refusedIn(rounds).length, unexplainedJobs: jobs, markedJobs: marked },
  });
}

function isRefused({ status }: Exchange): boolean {
  return status === 429;
}

function refusedIn(rounds: readonly RejectedRound[]): readonly Exchange[] {
  return rounds.flatMap(({ submissions }) => submissions.filter(isRefused));
}
