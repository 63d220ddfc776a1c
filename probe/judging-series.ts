/**
 * The judges of the contract on what jobs show beside those before them: identifiers that are
 * issued twice, variants that mix, marks that come back no more, and where the limited runs begin.
 */

import type { JobHistory } from "../contract/jobs/job-history.ts";
import { missesOf } from "../contract/judges/job/never-lost.ts";
import { readHistories, statePolls } from "../contract/judges/job/reading.ts";
import { judgeJobs } from "../contract/judges/job.ts";
import { judgeAccepted } from "../contract/judges/submit.ts";
import { boundsOf } from "../contract/judges/timeout/bounds.ts";
import { judgeTimeouts, limitTrial } from "../contract/judges/timeout/index.ts";
import type { StartStamp } from "../contract/judges/timeout/start-up.ts";
import { startStampOf } from "../contract/judges/timeout/start-up.ts";
import type { LimitTrial } from "../contract/judges/timeout/trial.ts";
import { STALL_LAGS } from "../contract/judges/webhook/case.ts";
import type { Sample } from "../contract/judging/claim.ts";
import { standing } from "../contract/judging/standing.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { Target } from "../contract/target.ts";
import { promisedTimes } from "../contract/time/promised-times.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { WebhookWatch } from "./judging.ts";
import { violationsOfWebhook } from "./judging.ts";

const OWN_RESULT = "job.own-result" satisfies PromiseId;

/** Promises that a job can break by how it stands to another. */
const BETWEEN_JOBS: readonly PromiseId[] = [
  "submit.accepted-shape",
  "job.shape",
  // That a result lacks its mark says something where an earlier one of the worker's had its own.
  OWN_RESULT,
];
/** Ours: a service that numbers its jobs round would do so in a shorter cycle. */
const IDENTIFIERS_MAX = 10_000;
/** Ours: of a job with more than this to its name no copy is kept for the next one. */
const KEPT_CHARS_MAX = 200_000;
/**
 * Ours: accidents on the way are seldomer. Every second job of a canary that runs once in five
 * minutes is read again after a minute.
 */
const MISSED_WITHIN_MS = 30 * 60_000;
/** Ours: a network that loses an answer now and then does so less often than one in so many. */
const REPEATED_WITHIN = 20;

export class JobSeries {
  readonly #issued = new Set<string>();
  /** The last job that is known of all, and of each worker. */
  #last: JobHistory | null = null;
  readonly #lastOf = new Map<string, JobHistory>();
  /** The last job of each worker whose result had the mark of its input. */
  readonly #markedOf = new Map<string, JobHistory>();
  /** The last job that some poll did not find. */
  #missed: JobHistory | null = null;
  /** The last job whose delivery came again, and how many came but once since. */
  #repeated: WebhookWatch | null = null;
  #onceSince = 0;
  /** Where stated runs begin, as jobs that were seen starting up have shown it; null: none was. */
  #startStamp: StartStamp | null = null;
  /** Workers of which the last run met its limit, however much of it was start-up. */
  readonly #metLimit = new Set<string>();

  /** An identifier that was issued in an earlier process. */
  remember(jobId: string): void {
    this.#issued.add(jobId);
    if (this.#issued.size <= IDENTIFIERS_MAX) return;
    for (const oldest of this.#issued) {
      this.#issued.delete(oldest);
      return;
    }
  }

  /**
   * What contradicts the jobs before this one; each contradiction once, but for marks: while they
   * are missing, each job has a result that is not its own. Under an identifier of an earlier job's
   * nobody knows whose answers these are.
   */
  violations(history: JobHistory): readonly Finding[] {
    const twice = this.#issuedTwice(history);
    if (twice !== null) return [twice];
    const { workerId } = history;
    const marked = this.#markedOf.get(workerId);
    const ofWorker = [this.#lastOf.get(workerId), marked];
    const others = [...new Set([this.#last, ...ofWorker])].filter((each) => each != null);
    const known = brokenBetween(others);
    const alone = brokenBetween([history]);
    const isNews = ({ promise }: Finding) => !known.has(promise) && !alone.has(promise);
    const findings = [...brokenBetween([...others, history]).values()].filter(isNews);
    const again = known.has(OWN_RESULT) && marked !== undefined && !alone.has(OWN_RESULT);
    const unmarked = again ? brokenBetween([marked, history]).get(OWN_RESULT) : undefined;
    if (unmarked !== undefined) findings.push(unmarked);
    this.#keep(history);
    this.#learnStart(history);
    return findings;
  }

  /**
   * What a job shows that some poll did not find, beside an earlier one of which that is true. Once
   * is an accident on the way.
   */
  missViolations(history: JobHistory): readonly Finding[] {
    const missedAtMs = missedLastAtMs(history);
    if (missedAtMs === null) return [];
    const before = this.#missed;
    this.#missed = history;
    const beforeMs = before === null ? null : missedLastAtMs(before);
    if (before === null || beforeMs === null) return [];
    if (missedAtMs - beforeMs > MISSED_WITHIN_MS) return [];
    return judgeJobs([before, history]).filter(({ promise, verdict }) => {
      return promise === "job.never-lost" && verdict === "broken";
    });
  }

  /** What contradicts the deliveries of the job, or of it and an earlier one. */
  webhookViolations(watch: WebhookWatch, target: Target): readonly Finding[] {
    if (watch.deliveries.length <= 1) {
      this.#onceSince += watch.deliveries.length;
      return violationsOfWebhook(watch, target);
    }
    const before = this.#onceSince < REPEATED_WITHIN ? this.#repeated : null;
    this.#repeated = watch;
    this.#onceSince = 0;
    return violationsOfWebhook(watch, target, before);
  }

  #issuedTwice({ issuedId, submission }: JobHistory): Finding | null {
    if (issuedId === null) return null;
    const isKnown = this.#issued.has(issuedId);
    this.remember(issuedId);
    if (!isKnown) return null;
    const what = `a job has the id "${issuedId}" of an earlier one`;
    return broken("submit.unique-id", what, { exchanges: [submission] });
  }

  #keep(history: JobHistory): void {
    const chars = history.polls.reduce((sum, { body }) => sum + body.length, 0);
    if (chars > KEPT_CHARS_MAX || history.polls.length === 0) return;
    this.#last = history;
    this.#lastOf.set(history.workerId, history);
    const [isMarked] = judgeJobs([history]).filter(({ promise }) => promise === OWN_RESULT);
    if (isMarked?.verdict === "kept") this.#markedOf.set(history.workerId, history);
  }

  /** One that tells its times only at its end, or another way than those before, leaves it open. */
  #learnStart(history: JobHistory): void {
    const readings = readHistories([history]);
    if (!readings.flatMap(statePolls).some(({ job }) => job.state === "starting")) return;
    const shown = startStampOf(readings, "unknown");
    this.#startStamp = this.#startStamp === null || this.#startStamp === shown ? shown : "unknown";
  }

  /** Whether it matters how much of the worker's next limited run is start-up. */
  isStartOpen(workerId: string): boolean {
    return !this.#metLimit.has(workerId);
  }

  #learnLimit(workerId: string, { beyond }: LimitTrial): void {
    const isMet = beyond.some(({ notEarly, notLate }) => isGood(notEarly) && isGood(notLate));
    if (isMet) this.#metLimit.add(workerId);
    else this.#metLimit.delete(workerId);
  }

  /**
   * What contradicts the limit on the worker's runs. `isBeyond`: the job's input asks for a longer
   * run; `lagMs`: the machine's worst lag meanwhile, and a timer passes several threads.
   */
  limitViolations(
    history: JobHistory,
    { limitSeconds, isBeyond, lagMs }: { limitSeconds: number; isBeyond: boolean; lagMs: number },
    target: Target,
  ): readonly Finding[] {
    const jobs = [{ history, lag: { earlyMs: lagMs, lateMs: lagMs * STALL_LAGS } }];
    const trial = limitTrial({
      bounds: boundsOf(limitSeconds, promisedTimes(target)),
      beyond: isBeyond ? jobs : [],
      below: isBeyond ? [] : jobs,
      balance: null,
      without: "no job",
      assumedStamp: this.#startStamp ?? "unknown",
    });
    this.#learnLimit(history.workerId, trial);
    return judgeTimeouts(trial).filter(({ verdict }) => verdict === "broken");
  }
}

function missedLastAtMs(history: JobHistory): number | null {
  return missesOf(history).at(-1)?.sentAtMs ?? null;
}

function isGood(sample: Sample | null): boolean {
  return sample !== null && standing(sample).says === "good";
}

function brokenBetween(histories: readonly JobHistory[]): ReadonlyMap<PromiseId, Finding> {
  const findings = [...judgeAccepted(histories), ...judgeJobs(histories)];
  return new Map(
    findings
      .filter(({ promise, verdict }) => verdict === "broken" && BETWEEN_JOBS.includes(promise))
      .map((finding) => [finding.promise, finding]),
  );
}
