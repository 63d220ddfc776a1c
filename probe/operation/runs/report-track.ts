/** Reports the transitions of a job, each once, and learns from one that has ended. */

import { LONGEST_VIEW_LAG_MS } from "../../../contract/judges/job/reading.ts";
import type { State, Variant } from "../../../contract/states.ts";
import type { Offset } from "../../../contract/timeline/clock-offset.ts";
import { middleMs } from "../../../contract/timeline/interval.ts";
import { missedBetween } from "../../../contract/timeline/missed.ts";
import { endOf, hasGap } from "../../../contract/timeline/track.ts";
import type { Transition } from "../../../contract/timeline/transitions.ts";
import { transitionsOf } from "../../../contract/timeline/transitions.ts";
import { leastLagMs, openAfterWebhookMs } from "../../../contract/timeline/view-lag.ts";
import { spell } from "../../spell.ts";
import type { Lesson } from "../knowledge.ts";
import type { Parts, Run } from "./run.ts";
import { factsOf, submittedAtMs } from "./run.ts";

type Learnt = Pick<Parts, "clock" | "emit" | "knowledge">;

/**
 * The offset that holds for a job: one that no submission since its own contradicts. Times before
 * a gap are another clock's, so that then all submissions count.
 */
export function offsetFor({ clock, knowledge }: Learnt, run: Run): Offset | null {
  const sinceMs = hasGap(run.track) ? 0 : submittedAtMs(run);
  return knowledge.offset(clock.nowMs(), sinceMs);
}

/** How long the job ran, as far as it is known; null where nothing is. */
export function ranMsOf(parts: Learnt, run: Run): number | null {
  const { track } = run;
  const transitions = transitionsOf(track, offsetFor(parts, run), parts.knowledge.viewLagMs());
  const ran = transitions.find(({ from, acrossGap }) => from === "running" && !acrossGap);
  return ran === undefined ? null : middleMs(ran.stay);
}

/** Reports what was not reported of the job before; called again when more of it is known. */
export function reportTrack(parts: Learnt, run: Run, variant: Variant): void {
  const { clock, emit, knowledge } = parts;
  const facts = factsOf(run);
  const offset = offsetFor(parts, run);
  const transitions = transitionsOf(run.track, offset, knowledge.viewLagMs());
  const { workerId, canary } = run.intent;
  const sightings = (state: State) => knowledge.sightings(workerId, state);
  for (const transition of transitions) {
    const { from, to, acrossGap } = transition;
    if (run.reported.has(to)) continue;
    run.reported.add(to);
    emit({ type: "transition", run: facts, transition });
    // What nobody polled meanwhile was not missed by polls.
    if (acrossGap) continue;
    for (const missed of missedBetween(from, to, variant, sightings)) {
      emit({ type: "missed", run: facts, missed });
    }
  }
  const state = endOf(run.track);
  if (state === null) return;
  emit({ type: "terminal", run: facts, state });
  if (run.jobId !== null) knowledge.ownJobs.ended(run.jobId, clock.nowMs());
  knowledge.learn(canary, workerId, lessonOf(run, transitions));
  reportStale(parts, run);
  const leastMs = leastLagMs(run.track, offset);
  if (leastMs === null) return;
  knowledge.learnViewLag(leastMs);
  emit({ type: "view-lag", lagMs: knowledge.viewLagMs() });
}

/**
 * How long after its webhook a job was still shown as not ended, or after the end that the service
 * dates, where the webhook came too early; null where a replica may do so.
 */
export function staleMs(parts: Learnt, run: Run): number | null {
  const lagMs = openAfterWebhookMs(run.track, offsetFor(parts, run));
  return lagMs <= LONGEST_VIEW_LAG_MS ? null : lagMs;
}

function reportStale(parts: Learnt, run: Run): void {
  const lagMs = staleMs(parts, run);
  if (lagMs === null) return;
  const atMs = parts.clock.nowMs();
  parts.knowledge.wentStale(atMs);
  const why = `job ${run.jobId} was still shown as not ended ${spell(lagMs)} after its webhook`;
  parts.emit({ type: "answer-fault", what: "stale-polls", why, atMs });
}

/** A run that has its verdict from an earlier process: what it knew then was reported by it. */
export function markReported(run: Run): void {
  for (const { to } of transitionsOf(run.track, null)) run.reported.add(to);
}

/** What the job teaches for the next ones; a gap in it says nothing of durations. */
export function lessonOf(run: Run, transitions: readonly Transition[]): Lesson {
  const last = transitions.at(-1);
  const hasEnded = endOf(run.track) !== null;
  const isTimed = hasEnded && last !== undefined && !hasGap(run.track);
  const startMs = submittedAtMs(run);
  return {
    duration: isTimed
      ? { lowMs: Math.max(0, last.at.lowMs - startMs), highMs: last.at.highMs - startMs }
      : null,
    seen: hasEnded ? [...new Set(run.track.polls.map(({ state }) => state))] : [],
  };
}
