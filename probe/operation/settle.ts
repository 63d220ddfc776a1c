/** Draws the balance of a run: verdict, transitions, violations, cost; and writes it down. */

import { decodeJob } from "../../contract/decode/job.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { jsonBody } from "../../contract/exchange.ts";
import type { EndState } from "../../contract/job-history.ts";
import type { State, Variant } from "../../contract/states.ts";
import { isTerminal } from "../../contract/states.ts";
import type { Settled } from "../events.ts";
import type { Spent } from "../journal/budget.ts";
import { NOTHING_SPENT } from "../journal/budget.ts";
import { violationsOfJob } from "../judging.ts";
import type { Outcome } from "../outcome.ts";
import { servedWell } from "../outcome.ts";
import { missedBetween } from "../tracker/missed.ts";
import { endOf } from "../tracker/tracker.ts";
import type { Entry, Transition } from "../tracker/transitions.ts";
import { entriesOf, transitionsOf } from "../tracker/transitions.ts";
import { aftermathUntilMs } from "./aftermath.ts";
import { estimateOf, statedCost } from "./prices.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, historyOf, submittedAtMs } from "./run.ts";

export interface Verdict {
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

export async function settle(parts: Parts, run: Run, verdict: Verdict): Promise<Balance> {
  const { clock, emit, journal, knowledge } = parts;
  const nowMs = clock.nowMs();
  const offset = knowledge.offset(nowMs);
  const entries = entriesOf(run.track, offset);
  const cost = costOf(verdict);
  const settled: Settled = {
    outcome: verdict.outcome,
    why: verdict.why,
    end: endOf(run.track),
    submittedAtMs: submittedAtMs(run),
    settledAtMs: verdict.end?.receivedAtMs ?? nowMs,
    stays: staysOf(entries, nowMs),
    timed: !run.track.hasGap,
    cost: cost ?? estimateOf(journal.price(run.intent.workerId)),
  };
  report(parts, run, transitionsOf(run.track, offset), verdict);
  judge(parts, run, verdict, nowMs);
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

function report(
  { emit, knowledge }: Parts,
  run: Run,
  transitions: readonly Transition[],
  { end }: Verdict,
): void {
  const facts = factsOf(run);
  const { workerId, canary } = run.intent;
  const seenShare = (state: State) => knowledge.seenShare(workerId, state);
  for (const transition of transitions) {
    emit({ type: "transition", run: facts, transition });
    const { from, to } = transition;
    for (const missed of missedBetween(from, to, variantOf(end), seenShare)) {
      emit({ type: "missed", run: facts, missed });
    }
  }
  const state = endOf(run.track);
  if (state === null) return;
  emit({ type: "terminal", run: facts, state: state as EndState });
  knowledge.learnStates(workerId, new Set(run.track.looks.map((look) => look.state)));
  const last = transitions.at(-1);
  if (last === undefined || run.track.hasGap) return;
  const startMs = submittedAtMs(run);
  const { lowMs, highMs } = last.at;
  knowledge.durations(canary).learn({ lowMs: lowMs - startMs, highMs: highMs - startMs });
}

function variantOf(end: Exchange | null): Variant {
  return (end === null ? null : decodeJob(jsonBody(end)).variant) ?? "A";
}

function judge({ emit, clock }: Parts, run: Run, verdict: Verdict, nowMs: number): void {
  const history = historyOf(run, verdict.outcome === "deadline" ? nowMs : null);
  if (history === null) return;
  for (const { promise, summary } of violationsOfJob(history, !run.resumed)) {
    emit({ type: "violation", run: factsOf(run), promise, summary, atMs: clock.nowMs() });
  }
}

/** null: nobody has said what the job cost. */
function costOf({ end, mayCost }: Verdict): Spent | null {
  if (!mayCost) return NOTHING_SPENT;
  return end === null ? null : statedCost(decodeJob(jsonBody(end)).value?.cost ?? null);
}

/** Time in each state, by the middles of the bounds; the last is open until now if not terminal. */
function staysOf(entries: readonly Entry[], nowMs: number): Settled["stays"] {
  return entries.flatMap(({ state, at }, index) => {
    const next = entries[index + 1];
    if (next === undefined && isTerminal(state)) return [];
    const untilMs = next === undefined ? nowMs : (next.at.lowMs + next.at.highMs) / 2;
    return [{ state, ms: Math.max(0, untilMs - (at.lowMs + at.highMs) / 2) }];
  });
}
