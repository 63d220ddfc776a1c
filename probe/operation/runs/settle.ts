/** Draws the balance of a run: verdict, transitions, violations, cost; and writes it down. */

import { decodeJob } from "../../../contract/decode/job.ts";
import type { Spent } from "../../../contract/limits/budget.ts";
import { estimateOf, NOTHING_SPENT } from "../../../contract/limits/budget.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { jsonBody } from "../../../contract/requests/exchange.ts";
import type { Variant } from "../../../contract/states.ts";
import { isTerminal } from "../../../contract/states.ts";
import { middleMs } from "../../../contract/timeline/interval.ts";
import { endOf, hasGap, stateOf } from "../../../contract/timeline/track.ts";
import type { Transition } from "../../../contract/timeline/transitions.ts";
import { transitionsOf } from "../../../contract/timeline/transitions.ts";
import type { Settled } from "../../events.ts";
import type { Outcome } from "../../outcome.ts";
import { servedWell } from "../../outcome.ts";
import { countCost } from "../costs/cost.ts";
import { statedCost } from "../costs/prices.ts";
import { aftermathUntilMs } from "./aftermath.ts";
import { judgeRun } from "./judge-run.ts";
import { lessonOf, offsetFor, reportTrack } from "./report-track.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, submittedAtMs } from "./run.ts";

export interface RunVerdict {
  outcome: Outcome;
  why: string;
  /** The answer that showed the end; null when none did. */
  end: Exchange | null;
  /** False when the service refused: then no job runs and nothing is owed. */
  mayCost: boolean;
}

export interface Balance {
  settled: Settled;
  /** Until when there is something to see of the run; null when there is nothing. */
  afterUntilMs: number | null;
}

export async function settle(parts: Parts, run: Run, verdict: RunVerdict): Promise<Balance> {
  const { clock, emit, journal } = parts;
  const nowMs = clock.nowMs();
  const transitions = transitionsOf(run.track, offsetFor(parts, run), parts.knowledge.viewLagMs());
  const cost = costOf(verdict);
  // Why nobody saw its end is told; a list that does not show it either tells no more.
  if (verdict.end === null && run.jobId !== null) parts.knowledge.ownJobs.leave(run.jobId);
  const settled: Settled = {
    outcome: verdict.outcome,
    why: verdict.why,
    end: endOf(run.track),
    submittedAtMs: submittedAtMs(run),
    settledAtMs: verdict.end?.receivedAtMs ?? nowMs,
    stays: staysOf(run, transitions, nowMs),
    timed: !hasGap(run.track),
    traced: parts.target.trace != null,
    ...lessonOf(run, transitions),
    cost: cost ?? estimateOf(journal.price(run.intent.workerId)),
  };
  parts.knowledge.charges.ends(run.intent.runId, nowMs, cost, endOf(run.track));
  const jobs = run.jobId === null ? 0 : 1;
  const { credits, usd } = settled.cost;
  countCost(parts, run, { spent: { jobs, credits, usd }, isStated: cost !== null });
  reportTrack(parts, run, variantOf(verdict.end));
  judgeRun(parts, run, verdict.outcome === "deadline" ? nowMs : null);
  // What can't be written now is kept by the journal and reported by it.
  const afterUntilMs = aftermathUntilMs(parts, run, settled, verdict.mayCost);
  await journal.settle(run.intent.runId, settled, cost, afterUntilMs).catch(() => {});
  emit({ type: "run-settled", run: factsOf(run), settled });
  const served = servedWell(verdict.outcome);
  if (served !== "unknown") {
    emit({ type: "service-level", level: "canary-success", good: served === "good" });
  }
  return { settled, afterUntilMs };
}

function variantOf(end: Exchange | null): Variant {
  return (end === null ? null : decodeJob(jsonBody(end)).variant) ?? "A";
}

/** null: nobody has said what the job cost. */
function costOf({ end, mayCost }: RunVerdict): Spent | null {
  if (!mayCost) return NOTHING_SPENT;
  return end === null ? null : statedCost(decodeJob(jsonBody(end)).value?.cost ?? null);
}

/**
 * Time in each state that is known; the last one's goes on until now if it is not terminal, and if
 * a poll has shown it: what the submission was answered with says nothing of later.
 */
function staysOf(run: Run, transitions: readonly Transition[], nowMs: number): Settled["stays"] {
  const timed = transitions.filter(({ acrossGap }) => !acrossGap);
  const known = timed.map(({ from, stay }) => ({ state: from, ms: middleMs(stay) }));
  const last = stateOf(run.track);
  const isSeen = run.track.polls.some(({ kind }) => kind === "poll");
  if (last === null || isTerminal(last) || !isSeen) return known;
  const change = transitions.at(-1);
  const sinceMs = change === undefined ? submittedAtMs(run) : middleMs(change.at);
  return [...known, { state: last, ms: Math.max(0, nowMs - sinceMs) }];
}
