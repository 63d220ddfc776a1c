/** Everything that happens in the probe, as metrics, logs and the status page read it. */

import type { Spent } from "../contract/limits/budget.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { Validity } from "../contract/requests/certificate.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import type { EndState, State } from "../contract/states.ts";
import type { Interval } from "../contract/timeline/interval.ts";
import type { MissedState } from "../contract/timeline/missed.ts";
import type { Transition } from "../contract/timeline/transitions.ts";
import type { Finding } from "../contract/verdict.ts";
import type { ServiceLevel } from "./canary/service-levels.ts";
import type { Outcome } from "./outcome.ts";

/** Which run of which canary an event is about. */
export interface RunFacts {
  runId: string;
  canary: string;
  workerId: string;
  /** null while nobody knows it. */
  jobId: string | null;
}

export const SKIP_REASONS = [
  "paused",
  "overlap",
  "budget",
  "journal",
  "rate_limited",
  "stopping",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** What is wrong with answers whichever run they belong to. */
export const ANSWER_FAULTS = [
  "rejected-key",
  "slow",
  "awaits-run",
  "failed-polls",
  "lost-submissions",
  "raised-costs",
  "stale-polls",
] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

export const DELIVERY_OUTCOMES = [
  "first",
  "repeated",
  "missing",
  "unsigned",
  "unchecked",
  "unknown_token",
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Cheap checks beside the canaries, named by their routes. */
export const API_CHECKS = ["me", "credits", "workers", "jobs"] as const;
export type ApiCheck = (typeof API_CHECKS)[number];

/** How an ambiguous submission was resolved. */
export const RESOLUTIONS = ["marker", "webhook", "unresolved"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** What the journal can report. */
export const JOURNAL_FAILURES = [
  "write",
  "read",
  "set_aside",
  "spent",
  "prune",
  "elsewhere",
] as const;
export type JournalFailure = (typeof JOURNAL_FAILURES)[number];

export type ProbeEvent =
  | { type: "run-planned"; canary: string; nextDueMs: number }
  | { type: "run-due"; canary: string; lagMs: number; nextDueMs: number }
  | { type: "run-skipped"; canary: string; reason: SkipReason; count: number; why: string }
  | { type: "run-started"; run: RunFacts; atMs: number }
  | { type: "run-accepted"; run: RunFacts; atMs: number }
  | { type: "run-recovered"; run: RunFacts; submittedAtMs: number }
  | { type: "run-settled"; run: RunFacts; settled: Settled }
  /** By how much what is known to be spent changed; less where an estimate was too high. */
  | { type: "spent"; run: RunFacts; change: Spent }
  /** A run of an earlier process, as its journal tells. */
  | { type: "run-remembered"; run: RunFacts; settled: Settled }
  | { type: "transition"; run: RunFacts; transition: Transition }
  | { type: "missed"; run: RunFacts; missed: MissedState }
  | { type: "terminal"; run: RunFacts; state: EndState }
  | { type: "delivery"; run: RunFacts | null; outcome: DeliveryOutcome; delay: Interval | null }
  | { type: "resolved"; run: RunFacts; how: Resolution }
  | {
      type: "violation";
      /** null where it is about none. */
      run: RunFacts | null;
      /** The check that saw it, whose own event says so, too; left out where none did. */
      check?: ApiCheck;
      promise: PromiseId;
      summary: string;
      atMs: number;
    }
  | { type: "service-level"; level: ServiceLevel; good: boolean }
  | { type: "request"; exchange: Exchange; retryAfterMs: number | null }
  | { type: "answer-fault"; what: AnswerFault; why: string; atMs: number }
  | { type: "view-lag"; lagMs: number }
  | { type: "clock-offset"; offset: Interval | null; steps: number }
  /** NaN where the answer names no balance. */
  | { type: "credits"; left: number }
  /** What a certificate says on a new connection: to the service, or the receiver's address. */
  | { type: "certificate"; of: "service" | "receiver"; validity: Validity }
  | {
      type: "api-check";
      check: ApiCheck;
      outcome: Outcome;
      why: string | null;
      /** Promises that its answer broke. */
      promises: readonly PromiseId[];
      atMs: number;
    }
  /** The machine slept, or its clock was set: times of before and after can't be compared. */
  | { type: "disturbance"; sleptMs: number; steppedMs: number }
  /**
   * `byItself`: a request of the probe's own came to its public address. `url`: that address, told
   * once; it stays.
   */
  | { type: "receiver"; listening: boolean; why: string | null; byItself?: boolean; url?: string }
  | { type: "journal-failed"; what: JournalFailure; why: string }
  | { type: "journal-recovered" }
  /** Other users of the machine could read it. */
  | { type: "journal-tightened"; what: string }
  | { type: "reload"; ok: boolean; why: string | null; atMs: number };

/** How a run came out. */
export interface Settled {
  outcome: Outcome;
  /** One sentence for a person. */
  why: string;
  /** null: the job's end was not seen. */
  end: State | null;
  submittedAtMs: number;
  settledAtMs: number;
  /** From submission to end, as far as it is known; null for a job that was not seen to end. */
  duration: Interval | null;
  /** States that polls have shown; none of a job that was not seen to end. */
  seen: readonly State[];
  /** Time in each state that is known, in order; the last is open when the end was not seen. */
  stays: readonly { state: State; ms: number }[];
  /** False when the probe was away meanwhile, so that times are no figures of the service's. */
  timed: boolean;
  /** Whether its requests carried a trace, so that the service can show one. */
  traced: boolean;
  cost: { credits: number; usd: number };
}

export type Emit = (event: ProbeEvent) => void;

/** Tells of each promise that was seen broken at that time, and by whom. */
export function emitViolations(
  emit: Emit,
  seen: Pick<Extract<ProbeEvent, { type: "violation" }>, "run" | "check">,
  findings: readonly Pick<Finding, "promise" | "summary">[],
  atMs: number,
): void {
  for (const { promise, summary } of findings) {
    emit({ type: "violation", ...seen, promise, summary, atMs });
  }
}
