/** The latest jobs of this process, which the job list is held against. Spec §4.5. */

import type { JobHistory } from "../../contract/jobs/job-history.ts";
import type { OwnJob } from "../../contract/judges/job/lists/list-limit.ts";
import { judgeListLength } from "../../contract/judges/job/lists/list-limit.ts";
import { listedIds } from "../../contract/judges/job/lists/list-own.ts";
import { judgeListBefore } from "../../contract/judges/job/lists/list-own-meanwhile.ts";
import { judgeStartedOnce } from "../../contract/judges/job/run-once.ts";
import { LISTED_JOBS_MAX } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { RunFacts } from "../events.ts";
import { AGAIN_WITHIN_MS } from "./fault-spell.ts";

interface Known {
  run: RunFacts;
  job: OwnJob;
  history: JobHistory;
}

export interface ListFindings {
  /** What is wrong with the list itself. */
  list: readonly Finding[];
  /** What it shows of a run. */
  runs: readonly { run: RunFacts; finding: Finding }[];
  /** Whether others submit jobs, too. */
  showsOthers: boolean;
}

/** Ours: one that is missing among the own ones in the next list as well is not just accepted. */
const STRANGE_TIMES = 2;

export class OwnJobs {
  readonly #jobs = new Map<string, Known>();
  /** Jobs of which a list has shown that they were started twice. */
  readonly #startedTwice = new Set<string>();
  /** By job of the last list that is none of these: in how many it was; null before the first. */
  #strange: ReadonlyMap<string, number> | null = null;
  /** When a list last left out one of the jobs. */
  #leftOutAtMs = Number.NEGATIVE_INFINITY;

  accepted(run: RunFacts, submission: Exchange): void {
    const { jobId, workerId } = run;
    if (jobId === null) return;
    const { sentAtMs, receivedAtMs } = submission;
    // As of its last submission, where an identifier is issued twice.
    this.#jobs.delete(jobId);
    this.#jobs.set(jobId, {
      run,
      job: { id: jobId, sentAtMs, receivedAtMs, settledAtMs: null },
      history: historyOf(submission, jobId, workerId),
    });
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= LISTED_JOBS_MAX) break;
      this.#jobs.delete(oldest);
      this.#startedTwice.delete(oldest);
    }
  }

  ended(jobId: string, atMs: number): void {
    const known = this.#jobs.get(jobId);
    if (known !== undefined) known.job.settledAtMs ??= atMs;
  }

  /** One that may be lost is not to be missed in the list as well. */
  leave(jobId: string): void {
    this.#jobs.delete(jobId);
  }

  /** Times of before a gap are another clock's. */
  forget(): void {
    this.#jobs.clear();
    this.#startedTwice.clear();
    this.#strange = null;
  }

  /** What contradicts in one answer of the list. */
  violations(list: Exchange): ListFindings {
    const known = [...this.#jobs.values()];
    const own = known.map(({ job }) => job);
    return {
      list: [...judgeListLength([list]), ...this.#leftOut(list, own)],
      runs: this.#startedTwiceIn(list, known),
      showsOthers: this.#showsOthers(listedIds(list)),
    };
  }

  /** What the first list has may be of an earlier process, and each job is told once. */
  #showsOthers(listed: readonly string[]): boolean {
    const before = this.#strange;
    const strange = listed.filter((id) => !this.#jobs.has(id));
    const timesOf = (id: string) => (before === null ? STRANGE_TIMES : (before.get(id) ?? 0) + 1);
    this.#strange = new Map(strange.map((id) => [id, timesOf(id)]));
    return before !== null && strange.some((id) => this.#strange?.get(id) === STRANGE_TIMES);
  }

  /** Once may be an index that is behind: what comes again is none. */
  #leftOut(list: Exchange, own: readonly OwnJob[]): readonly Finding[] {
    const findings = judgeListBefore(list, own);
    if (findings.length === 0) return [];
    const isAgain = list.sentAtMs - this.#leftOutAtMs < AGAIN_WITHIN_MS;
    this.#leftOutAtMs = list.sentAtMs;
    return isAgain ? findings : [];
  }

  #startedTwiceIn(list: Exchange, known: readonly Known[]): ListFindings["runs"] {
    const all = known.map(({ history }) => history);
    if (judgeStartedOnce(all, [list]).length === 0) return [];
    const untold = known.filter(({ job }) => !this.#startedTwice.has(job.id));
    return untold.flatMap(({ run, job, history }) => {
      const others = all.filter((each) => each !== history).map(withoutInput);
      const findings = judgeStartedOnce([history, ...others], [list]);
      if (findings.length > 0) this.#startedTwice.add(job.id);
      return findings.map((finding) => ({ run, finding }));
    });
  }
}

function withoutInput(history: JobHistory): JobHistory {
  return { ...history, submission: { ...history.submission, requestBody: null } };
}

function historyOf(submission: Exchange, issuedId: string, workerId: string): JobHistory {
  const unfollowed = { polls: [], cancelRequests: [], expected: null, gaveUpAtMs: null };
  return { submission, issuedId, workerId, ...unfollowed, deadlineMs: 0 };
}
