/** Judges that each accepted job is accounted for: ended, or still on its way. Spec §1, §3. */

import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Offences } from "./offences.ts";
import { brokenBy } from "./offences.ts";

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
  lost: Offences;
  /** Neither an answer to their polls nor a webhook came. */
  unanswered: Offences;
}

export function judgeNoLosses(balance: LedgerBalance, without: string): Finding {
  const promise = "load.no-losses";
  const { accepted, ended, inFlight, overdue, unreadable, lost, unanswered } = balance;
  if (accepted === 0) return unobserved(promise, without);
  const counts = { accepted, ended, inFlight, overdue, unreadable };
  const evidence = { ...counts, unanswered: unanswered.count };
  if (lost.count > 0) return brokenBy(promise, lost, evidence, summaryOf(balance));
  if (unanswered.count > 0) {
    return inconclusive(promise, `${unanswered.count} jobs could not be read at the end`, {
      evidence,
      exchanges: unanswered.kept.flatMap(({ exchanges }) => exchanges),
    });
  }
  if (unreadable > 0) {
    return inconclusive(promise, `the states of ${unreadable} jobs could not be read`, {
      evidence,
    });
  }
  const missing = accepted - ended - inFlight;
  if (missing !== 0) {
    return inconclusive(promise, `the ledger is off by ${missing} jobs`, { evidence });
  }
  if (overdue > 0) {
    const what = `${overdue} of ${accepted} accepted jobs had not run when the soak was over`;
    const reason = `${what}, long after others had ended; they may yet have their turn`;
    return inconclusive(promise, reason, { evidence });
  }
  return kept(promise, `${accepted} jobs accepted: ${ended} ended, ${inFlight} in flight`, {
    evidence,
    strength: looksAt(ended, "jobs"),
  });
}

function summaryOf({ accepted, ended, inFlight, lost }: LedgerBalance): string {
  const first = lost.kept[0]?.what ?? "";
  const jobs = lost.count === 1 ? "1 job is" : `${lost.count} jobs are`;
  const rest = `${ended} ended, ${inFlight} in flight`;
  return `of ${accepted} accepted jobs ${jobs} lost (${rest}): ${first}`;
}
