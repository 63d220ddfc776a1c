/** What is wrong now, grouped by cause: one outage is one problem, whichever canaries meet it. */

import { IN_FRONT } from "../answer-text.ts";
import type { Outcome } from "../outcome.ts";
import { spell } from "../spell.ts";
import type { Cause } from "./causes.ts";
import { causeOfOutcome, causeOfProbe, causeOfSkip } from "./causes.ts";
import type { CanaryView, Problem, RunView } from "./view.ts";
import { NOTICE_MS } from "./view.ts";

/** What one canary, or the probe itself, saw of a cause. Times are milliseconds since the epoch. */
export interface Sighting {
  cause: Cause;
  /** null: seen by none of the canaries, but by the probe itself. */
  canary: string | null;
  sinceMs: number;
  lastAtMs: number;
  /** How often it was seen. */
  times: number;
  /** What was seen, newest first. */
  details: readonly string[];
  /** Newest first. */
  jobIds: readonly string[];
  /** True where later runs went well; left out of what lasts until it is over. */
  isOver?: boolean;
  /** True where it came again after runs that went well: those of others do not end it either. */
  isAgain?: boolean;
  /** When the first run that went well after it was submitted; left out where none was. */
  overAtMs?: number;
  /** When the last that went well before it was submitted; left out where none is known. */
  wellAtMs?: number;
  /** Runs that show it; left out where it is about none. */
  runIds?: readonly string[];
  /** Promises that its own runs, or its check, broke; each with what was seen. */
  broken?: readonly string[];
}

/** What the page shows of one, but for the sentence that depends on the time. */
export interface FoundProblem extends Omit<Problem, "summary"> {
  /** Whoever saw it has seen it end. */
  isOver: boolean;
}

/** Ours: enough to begin with; the log and the journal have all of them. */
export const EXAMPLES_MAX = 3;

/**
 * In the order of their first sightings. `inFlight`: runs whose outcome is not known yet; what they
 * break belongs to the failure that their canary's runs have shown before.
 */
export function problemsOf(
  sightings: readonly Sighting[],
  inFlight: ReadonlySet<string>,
): readonly FoundProblem[] {
  const violations = sightings.filter(({ cause }) => cause.promise !== undefined);
  const owners = ownersOf(violations, sightings, inFlight);
  const joined = sightings.filter((each) => !owners.has(each));
  const whole = joined.map((each) => {
    const own = violations.filter((violation) => owners.get(violation) === each);
    return own.length === 0 ? each : { ...each, broken: own.map((seen) => brokenText(seen, each)) };
  });
  const byCause = Map.groupBy(whole, ({ cause }) => cause.id);
  return [...byCause.values()].flatMap((ofOne) => {
    const [first] = ofOne;
    return first === undefined ? [] : [problemOf(first.cause, ofOne)];
  });
}

/** A promise that runs without a failure break, too, is no part of the failure of others. */
function ownersOf(
  violations: readonly Sighting[],
  sightings: readonly Sighting[],
  inFlight: ReadonlySet<string>,
): ReadonlyMap<Sighting, Sighting> {
  const found = new Map<Sighting, Sighting>();
  const alone = new Set<string>();
  for (const each of violations) {
    const owner = sightings.find((other) => isOwner(other, each, inFlight));
    if (owner !== undefined) found.set(each, owner);
    else if (each.isOver !== true) alone.add(each.cause.id);
  }
  return new Map([...found].filter(([{ cause }]) => !alone.has(cause.id)));
}

/** Ours: a fault that begins in the middle of a run may let that one end well. */
const ENDED_WELL_MAX = 1;

/** Whether the runs that showed the violation are the other's. */
function isOwner(other: Sighting, violation: Sighting, inFlight: ReadonlySet<string>): boolean {
  const { promise } = violation.cause;
  if (promise === undefined || other.cause.promise !== undefined) return false;
  // What still stands is not put away with failures that are over.
  if (other.isOver === true && violation.isOver !== true) return false;
  const { runIds = [] } = violation;
  if (runIds.length === 0) return false;
  const own = new Set(other.runIds);
  const first = runIds.findLastIndex((id) => own.has(id));
  return (
    other.canary === violation.canary &&
    first >= 0 &&
    first >= runIds.length - 1 - ENDED_WELL_MAX &&
    runIds.slice(0, first).every((id) => own.has(id) || inFlight.has(id))
  );
}

/** What was seen is said once. */
function brokenText({ cause, details: [seen] }: Sighting, owner: Sighting): string {
  const isSaid = seen === undefined || owner.details.includes(seen);
  return isSaid ? cause.title : `${cause.title}: ${seen}`;
}

function problemOf({ id, title, runbook }: Cause, sightings: readonly Sighting[]): FoundProblem {
  const newest = sightings.toSorted((a, b) => b.lastAtMs - a.lastAtMs);
  const seen = examples(newest.flatMap(({ details }) => details));
  const isInFront = seen.length > 0 && seen.every((text) => text.includes(IN_FRONT));
  return {
    cause: id,
    // What all of them say is said once.
    title: isInFront ? title + IN_FRONT : title,
    canaries: [...new Set(sightings.flatMap(({ canary }) => canary ?? []))],
    sinceMs: Math.min(...sightings.map(({ sinceMs }) => sinceMs)),
    lastAtMs: Math.max(...sightings.map(({ lastAtMs }) => lastAtMs)),
    times: sightings.reduce((sum, { times }) => sum + times, 0),
    details: isInFront ? seen.map((text) => text.replaceAll(IN_FRONT, "")) : seen,
    broken: [...new Set(newest.flatMap(({ broken = [] }) => broken))],
    jobIds: examples(newest.flatMap(({ jobIds }) => jobIds)),
    runbook,
    isOver: sightings.every((each) => each.isOver === true || sightings.some(endOf(each))),
  };
}

/**
 * Whether this was seen only while another canary failed likewise, whose runs before and since went
 * well: the runs of this one may be hours apart, and the next says if it was alone.
 */
function endOf({ sinceMs, lastAtMs, isAgain }: Sighting): (other: Sighting) => boolean {
  return ({ wellAtMs = Number.NEGATIVE_INFINITY, overAtMs }) =>
    isAgain !== true && overAtMs !== undefined && overAtMs > lastAtMs && sinceMs > wellAtMs;
}

function examples(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].slice(0, EXAMPLES_MAX);
}

/** The problem in one sentence, for logs and for those who read JSON. */
export function sentenceOf(problem: FoundProblem, nowMs: number): string {
  const { title, canaries, jobIds, sinceMs, lastAtMs, times, isOver } = problem;
  const details = [...problem.details, ...problem.broken];
  const who = canaries.length === 0 ? "" : ` (${canaries.join(", ")})`;
  const what = details.length === 0 ? "" : `: ${details.join("; ")}`;
  const time = isOver
    ? `over, last seen ${spell(nowMs - lastAtMs)} ago`
    : `for ${spell(nowMs - sinceMs)}`;
  const often = times > 1 ? `, ${times} times` : "";
  const jobs = jobIds.length === 0 ? "" : `; ${jobIds.join(", ")}`;
  return `${title}${who}${what}; ${time}${often}${jobs}`;
}

/** Why the last run that was due did not start. */
export interface SkippedRuns extends Pick<Sighting, "sinceMs" | "lastAtMs" | "times"> {
  reason: Parameters<typeof causeOfSkip>[0];
  why: string;
}

export type Dropped = ReadonlyMap<Outcome, Pick<Sighting, "sinceMs" | "times">>;

export interface CanaryFacts {
  canary: CanaryView;
  /** null when the last run that was due did start. */
  skipped: SkippedRuns | null;
  /** By outcome, the failures since the last success that its row shows no more. */
  dropped: Dropped;
  /** Since when no run came to a verdict. */
  quietSinceMs: number;
  nowMs: number;
}

/** Ours: a canary that missed this many intervals in a row is not merely late. */
const SILENT_INTERVALS = 3;

/** No news is a problem, too: a page must not be green because nothing was seen. */
export function sightingsOf(facts: CanaryFacts): Sighting[] {
  const { canary, skipped, quietSinceMs, nowMs } = facts;
  const { name, everyMs, deadlineMs } = canary;
  const common = { canary: name, times: 1, details: [], jobIds: [] };
  const silentSinceMs = quietSinceMs + SILENT_INTERVALS * everyMs + deadlineMs;
  // Where runs are skipped, why there is no verdict is known.
  const isSilent = skipped === null && nowMs > silentSinceMs;
  return [
    ...failing(facts),
    ...(skipped === null ? [] : [skippedRuns(name, skipped)]),
    ...(isSilent
      ? [
          {
            ...common,
            cause: causeOfProbe("silent"),
            sinceMs: quietSinceMs,
            lastAtMs: quietSinceMs,
          },
        ]
      : []),
  ];
}

function skippedRuns(canary: string, { reason, why, ...times }: SkippedRuns): Sighting {
  return { cause: causeOfSkip(reason), canary, details: [why], jobIds: [], ...times };
}

/** What is remembered of failures when one more run leaves the row. */
export function droppedWith(dropped: Dropped, run: RunView): Dropped {
  const { outcome } = run;
  if (outcome === "success") return new Map();
  const { sinceMs, times } = dropped.get(outcome) ?? { sinceMs: failedAtMs(run), times: 0 };
  return new Map([...dropped, [outcome, { sinceMs, times: times + 1 }]]);
}

/** A run that failed. */
interface Failed {
  run: RunView;
  atMs: number;
  /** How many of its canary had succeeded before. */
  after: number;
}

/**
 * The runs that failed since the last success, by outcome: what an outage hides is not dated by it,
 * nor the outage by what was wrong before. Of these the newest outcome stands, and others for some
 * minutes, as do failures of the last minutes before that success. A success ends what came once.
 * What comes again stands: where one of several workers is broken, most runs are well, and what
 * woke somebody is not about these.
 */
function failing({ canary, dropped, nowMs }: CanaryFacts): readonly Sighting[] {
  const { name, runs } = canary;
  const succeeded = runs
    .filter(({ outcome }) => outcome === "success")
    .toSorted((a, b) => a.submittedAtMs - b.submittedAtMs);
  const good = succeeded.length;
  const failed = runs.flatMap((run) => {
    if (run.outcome === "success") return [];
    // What was still waited for when others went well began before them, as an outage's jobs do.
    const earlier = succeeded.filter(({ submittedAtMs }) => submittedAtMs < run.submittedAtMs);
    return { run, atMs: failedAtMs(run), after: earlier.length };
  });
  const inOrder = failed.toSorted((a, b) => a.after - b.after || a.atMs - b.atMs);
  const last = inOrder.at(-1);
  const newest = last?.after === good ? last.run.outcome : null;
  const isNews = ({ atMs }: Failed) => nowMs - atMs < NOTICE_MS;
  const byOutcome = Map.groupBy(inOrder, ({ run }) => run.outcome);
  return [...byOutcome].flatMap(([outcome, alike]) => {
    const stands = outcome === newest || alike.some((each) => each.after === good && isNews(each));
    const shown = alike.filter((each) => isNews(each) || (stands && each.after === good));
    const seen = failureOf(name, shown, succeeded);
    const before = good === 0 ? dropped.get(outcome) : undefined;
    if (seen === null || before === undefined) return seen ?? [];
    return { ...seen, sinceMs: before.sinceMs, times: seen.times + before.times };
  });
}

/** `succeeded`: those of the canary's runs that have, by submission. */
function failureOf(
  canary: string,
  failed: readonly Failed[],
  succeeded: readonly RunView[],
): Sighting | null {
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined || last.run.outcome === "success") return null;
  const isAgain = first.after < last.after;
  const next = isAgain ? undefined : succeeded[last.after];
  const before = succeeded[first.after - 1];
  return {
    cause: causeOfOutcome(last.run.outcome),
    canary,
    sinceMs: Math.min(...failed.map(({ atMs }) => atMs)),
    lastAtMs: Math.max(...failed.map(({ atMs }) => atMs)),
    times: failed.length,
    details: isAgain ? [last.run.why, "other runs meanwhile succeeded"] : [last.run.why],
    jobIds: failed.flatMap(({ run: { jobId } }) => jobId ?? []).toReversed(),
    runIds: failed.map(({ run: { runId } }) => runId),
    isOver: next !== undefined,
    isAgain,
    ...(next === undefined ? {} : { overAtMs: next.submittedAtMs }),
    ...(before === undefined ? {} : { wellAtMs: before.submittedAtMs }),
  };
}

/**
 * Without a job it was the submission that failed, however long the job was then looked for: runs
 * that were submitted later tell whether that is over.
 */
function failedAtMs({ jobId, submittedAtMs, durationMs }: RunView): number {
  return jobId === null ? submittedAtMs : submittedAtMs + durationMs;
}
