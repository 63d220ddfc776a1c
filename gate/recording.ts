/**
 * What a gate run leaves to be judged, and its form in `evidence.jsonl`: a first line on the run, a
 * line on each scenario with its records after it, a line a witness, and a last one on the end.
 */

import type { Spent } from "../contract/limits/budget.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import { isEvidence, readRecord, recordText } from "../contract/run/evidence.ts";
import type { RunPlan, Tolerances } from "../contract/run/run-plan.ts";
import type { RunResult } from "../contract/run/run-result.ts";
import { promisedTimes } from "../contract/time/promised-times.ts";
import type { CalledOff } from "./call-off.ts";
import type { RunOutcome } from "./options.ts";
import type { ScenarioEvidence } from "./run-outcome.ts";
import { judgedEvidence } from "./run-outcome.ts";
import type { Testimony } from "./witnesses/witness.ts";

/** Raised when a line changes its meaning: a reader refuses what it does not know. */
export const EVIDENCE_SCHEMA_VERSION = 2;

export interface RunHead {
  type: "run";
  schemaVersion: typeof EVIDENCE_SCHEMA_VERSION;
  profile: RunPlan["profile"];
  seed: number;
  startedAtMs: number;
  tool: RunResult["tool"];
  target: Omit<RunResult["target"], "variant">;
  only: readonly PromiseId[] | null;
  leftOut: readonly PromiseId[];
  /** Of a run of some scenarios only: the others were not asked for, and fail nothing. */
  judged?: readonly PromiseId[];
  /** Promises that a witness in Node can look at. */
  nodePromises: readonly PromiseId[];
  budget: Pick<RunResult["budget"], "ceiling" | "planned">;
  /** Before the first scenario. */
  spent: Spent;
  /** Of all scenarios; each had its share of the budget. */
  plan: RunPlan;
}

interface ScenarioLine {
  type: "scenario";
  name: string;
  promises: readonly PromiseId[];
  outcome: RunOutcome;
  trouble: string | null;
  durationMs: number;
  /** What a second run was asked; null for a first one. */
  again: readonly PromiseId[] | null;
}

export interface RunEnd {
  finishedAtMs: number;
  interrupted: boolean;
  /** What the gate itself has to say. */
  notes: readonly string[];
  /** Left out where it went on to its end. */
  calledOff?: CalledOff;
}

export interface Recording {
  head: RunHead;
  runs: readonly ScenarioEvidence[];
  testimonies: readonly Testimony[];
  end: RunEnd;
}

type Line =
  | RunHead
  | ScenarioLine
  | ({ type: "testimony" } & Testimony)
  | ({ type: "end" } & RunEnd);

export function runLines(run: ScenarioEvidence): string {
  const { scenario, outcome, trouble, raw, durationMs, again } = run;
  const { name, promises } = scenario;
  const texts = raw.map((record) => `${recordText(record)}\n`);
  const line = { name, promises, outcome, trouble, durationMs, again };
  return lineOf({ type: "scenario", ...line }) + texts.join("");
}

export function lineOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** The file's text is not what a gate leaves. */
export class UnreadableEvidenceError extends Error {
  readonly code = "evidence-unreadable";
  override readonly name = "UnreadableEvidenceError";
}

/**
 * What was recorded, judged anew; with tolerances, by those in place of the run's own. A run that
 * was killed has no end, or only a part of its last line, and counts as interrupted. Throws
 * UnreadableEvidenceError with the line's number.
 */
export function readRecording(text: string, tolerances: Tolerances | null = null): Recording {
  const lines = text.split("\n");
  if (isTorn(lines.at(-1) ?? "")) lines.pop();
  const [first, ...rest] = lines.filter((line) => line !== "");
  const head = headIn(first ?? "");
  const runs: { line: ScenarioLine; raw: EvidenceRecord[] }[] = [];
  const testimonies: Testimony[] = [];
  let end: RunEnd | null = null;
  for (const [at, one] of rest.entries()) {
    const line = readRecord(one) as Line | EvidenceRecord | null;
    if (line === null) throw unreadable(at + 2, "no record, or one of another version");
    if (line.type === "scenario") runs.push({ line, raw: [] });
    else if (line.type === "testimony") testimonies.push(line);
    else if (line.type === "end") end = line;
    else if (line.type === "run") throw unreadable(at + 2, "a second run in the same file");
    else if (!isEvidence(line)) throw unreadable(at + 2, "of no type that is known");
    else {
      const run = runs.at(-1);
      if (run === undefined) throw unreadable(at + 2, `"${line.type}" before any scenario`);
      run.raw.push(line);
    }
  }
  const plan = tolerances === null ? head.plan : withTolerances(head, tolerances);
  const last = end === null ? runs.at(-1)?.line : undefined;
  const judged = runs.map(({ line, raw }) => {
    const { type: _type, name, promises, ...rest } = line;
    // Its records may have been cut off.
    const outcome = line === last && line.outcome === "ended" ? "interrupted" : line.outcome;
    return judgedEvidence({ scenario: { name, promises }, ...rest, outcome, raw }, plan);
  });
  const seen = { head: { ...head, plan }, runs: judged, testimonies };
  return { ...seen, end: end ?? cutOff(head, judged) };
}

/** How a run went on whose gate was killed: at least as long as its longest scenario. */
function cutOff({ startedAtMs }: RunHead, runs: readonly ScenarioEvidence[]): RunEnd {
  const lengths = runs.map(({ durationMs }) => durationMs);
  const finishedAtMs = startedAtMs + Math.round(Math.max(0, ...lengths));
  return { finishedAtMs, interrupted: true, notes: [] };
}

/** Each line ends with a line break; what comes after the last one was not written to its end. */
function isTorn(last: string): boolean {
  try {
    JSON.parse(last);
    return false;
  } catch {
    return true;
  }
}

function withTolerances({ plan, target }: RunHead, tolerances: Tolerances): RunPlan {
  const { timeScale } = target;
  return { ...plan, tolerances, times: promisedTimes({ timeScale, tolerances }) };
}

function headIn(line: string): RunHead {
  const head = readRecord(line) as Line | null;
  if (head?.type !== "run") throw unreadable(1, "does not tell what was run");
  if (head.schemaVersion === EVIDENCE_SCHEMA_VERSION) return head;
  const found = `schemaVersion is ${String(head.schemaVersion)}`;
  throw unreadable(1, `${found}; expected ${EVIDENCE_SCHEMA_VERSION}`);
}

function unreadable(line: number, what: string): UnreadableEvidenceError {
  const expected = "expected a file that a gate of this version wrote";
  return new UnreadableEvidenceError(`evidence, line ${line}: ${what}; ${expected}`);
}
