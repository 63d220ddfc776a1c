/**
 * What a scenario sees of promises in passing, while it is there for others: samples, and what
 * contradicts. A load keeps it as a tally of bounded size, which merges with those of its shards.
 */

import type { JobHistory } from "../jobs/job-history.ts";
import type { PromiseId } from "../promises.ts";
import { isGone } from "../requests/exchange.ts";
import { looksAt } from "../strength.ts";
import type { Finding, Json, Quote } from "../verdict.ts";
import { QUOTES_MAX } from "../verdict.ts";
import type { EndedAlone } from "./cancel/cancels-seen.ts";
import { judgeCancelledAlone, judgeCancelsSeen } from "./cancel/cancels-seen.ts";
import { judgeFollowedJobs } from "./followed-jobs.ts";
import type { JobReading } from "./job/reading.ts";
import { judgeReadings } from "./job.ts";
import { mergeNamed } from "./load/tally-kinds.ts";
import { judgeAcceptedReadings } from "./submit.ts";

/** Of one promise. */
export interface Passed {
  samples: number;
  /** What a sample is, in the plural. */
  of: string;
  faults: number;
  /** The earliest contradictions. */
  kept: readonly Contradiction[];
}

type Contradiction = Pick<Finding, "summary" | "evidence" | "observations">;

export type Passing = Readonly<Partial<Record<PromiseId, Passed>>>;

/**
 * What the jobs and their acceptances show, judged together; each has an identifier of its own.
 * `uncancelled`: what became of ended jobs that nobody cancelled, of these and of others.
 */
export function seenOfJobs(
  readings: readonly JobReading[],
  uncancelled: readonly EndedAlone[],
): Passing {
  return passingOf([
    ...judgeAcceptedReadings(readings),
    ...judgeReadings(readings),
    ...judgeCancelsSeen(readings, uncancelled),
    ...judgeCancelledAlone(readings),
  ]);
}

/**
 * For jobs that are judged in groups: those that some poll did not find come together, as once is
 * an accident, and what comes again is none.
 */
export function missedFirst(a: JobReading, b: JobReading): number {
  return Number(wasMissed(b)) - Number(wasMissed(a));
}

function wasMissed({ history }: JobReading): boolean {
  return history.polls.some(isGone);
}

/**
 * The same of jobs that a scenario followed for another reason, which may have let them go.
 * `beside`: what it found of them in another way.
 */
export function jobsInPassing(
  histories: readonly JobHistory[],
  where: string,
  beside: readonly Finding[] = [],
): readonly Finding[] {
  const followed = histories.map((history) => ({ ...history, gaveUpAtMs: null }));
  return findingsInPassing(passingOf([...judgeFollowedJobs(followed), ...beside]), where);
}

/** Findings that are neither kept nor broken say nothing in passing. */
export function passingOf(findings: readonly Finding[]): Passing {
  return findings.reduce<Passing>((all, each) => mergePassing(all, passedBy(each)), {});
}

function passedBy(finding: Finding): Passing {
  const { promise, verdict, summary, evidence, observations, strength } = finding;
  if (verdict !== "kept" && verdict !== "broken") return {};
  const { samples, faults, examples } = evidence;
  const isBroken = verdict === "broken";
  return {
    [promise]: {
      samples: typeof samples === "number" ? samples : 1,
      of: strength?.looks[0]?.of ?? NO_WORD,
      faults: isBroken ? (typeof faults === "number" ? faults : 1) : 0,
      kept: isBroken ? [{ summary: firstOf(examples) ?? summary, evidence, observations }] : [],
    },
  };
}

/** What the first fault shows: how many there are is counted of all. */
function firstOf(examples: Json | undefined): string | null {
  const [first] = Array.isArray(examples) ? (examples as readonly Json[]) : [];
  return typeof first === "string" ? first : null;
}

/** Where only contradictions have come so far, which name none. */
const NO_WORD = "";

/** The same in any order and grouping. */
export function mergePassing(a: Passing, b: Passing): Passing {
  return mergeNamed<Passed>(a, b, both);
}

function both(a: Passed, b: Passed): Passed {
  const kept = b.kept.length === 0 ? a.kept : [...a.kept, ...b.kept].sort(byTime);
  return {
    samples: a.samples + b.samples,
    of: a.of > b.of ? a.of : b.of,
    faults: a.faults + b.faults,
    kept: kept.slice(0, QUOTES_MAX),
  };
}

function byTime(a: Contradiction, b: Contradiction): number {
  const ms = sentAtMs(a.observations) - sentAtMs(b.observations);
  if (ms !== 0) return ms;
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
  return textA < textB ? -1 : textA > textB ? 1 : 0;
}

function sentAtMs([first]: readonly Quote[]): number {
  return first?.sentAtMs ?? 0;
}

export function findingsInPassing(passing: Passing, where: string): readonly Finding[] {
  return Object.entries(passing).map(([name, passed]) => {
    const promise = name as PromiseId;
    const { samples, of, faults, kept } = passed;
    const [first] = kept;
    const head = { promise, reason: null, inPassing: true } as const;
    if (first === undefined) {
      const strength = looksAt(samples, of === NO_WORD ? "samples" : of);
      const summary = `${samples} samples ${where}, none contradicts it`;
      return {
        ...head,
        verdict: "kept",
        summary,
        evidence: { samples },
        observations: [],
        strength,
      };
    }
    const observations = kept.flatMap((each) => each.observations).slice(0, QUOTES_MAX);
    const seen = kept.flatMap(({ evidence }) =>
      Array.isArray(evidence.seen) ? (evidence.seen as readonly object[]) : [],
    );
    return {
      ...head,
      verdict: "broken",
      summary: `${where}, ${faults} of ${samples}: ${first.summary}`,
      evidence: {
        ...first.evidence,
        samples,
        faults,
        examples: kept.map(({ summary }) => summary),
        seen: seen.slice(0, QUOTES_MAX) as Finding["evidence"][string],
      },
      observations,
    };
  });
}
