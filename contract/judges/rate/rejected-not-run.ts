/** rate.rejected-not-run: a submission answered 429 leaves no job behind. Spec §7. */

import type { Exchange } from "../../exchange.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";

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

export function judgeRejectedNotRun(all: readonly RejectedRound[], reason: string): Finding {
  const promise = "rate.rejected-not-run";
  if (all.length === 0) return unobserved(promise, reason);
  const rounds = all.filter((round) => round.submissions.some((each) => each.status === 429));
  const refused = rounds.map((round) => round.submissions.filter((each) => each.status === 429));
  const total = refused.reduce((sum, each) => sum + each.length, 0);
  const evidence = {
    refused: total,
    unexplainedJobs: rounds.flatMap((round) => round.unexplained),
    markedJobs: rounds.flatMap((round) => round.marked),
  };
  if (total === 0) return inconclusive(promise, "no submission was answered 429", { evidence });
  const exchanges = refused.flat();
  if (rounds.some((round) => round.marked.length > 0)) {
    return broken(promise, "a submission answered 429 ran: its mark is in a job's result", {
      evidence,
      exchanges,
    });
  }
  if (!rounds.some((round) => round.listIsWitness)) {
    return unobserved(promise, "the job list does not show which jobs exist");
  }
  const unexplained = rounds.filter((round) => round.unexplained.length > 0);
  if (unexplained.length > 1 && unexplained.length === rounds.length) {
    return broken(
      promise,
      `${total} submissions answered 429 left ${evidence.unexplainedJobs.length} jobs behind, ` +
        `each time`,
      { evidence, exchanges },
    );
  }
  if (unexplained.length > 0) {
    return inconclusive(promise, "jobs appeared that may be another caller's", { evidence });
  }
  return kept(promise, `none of ${total} submissions answered 429 left a job`, {
    evidence,
    strength: looksAt(total, "submissions"),
  });
}
