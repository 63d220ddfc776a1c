/** What the status page and /api/canaries show: the last runs of each canary, and what is wrong. */

import type { State } from "../../contract/states.ts";
import type { Canary } from "../canary/canary.ts";
import type { ProbeEvent, Settled } from "../events.ts";
import type { Outcome } from "../outcome.ts";

export interface RunView {
  runId: string;
  jobId: string | null;
  outcome: Outcome;
  why: string;
  submittedAtMs: number;
  durationMs: number;
  stays: readonly { state: State; ms: number }[];
  violations: readonly string[];
}

export interface CanaryView {
  name: string;
  workerId: string;
  everyMs: number;
  deadlineMs: number;
  expected: string;
  nextDueMs: number | null;
  inFlight: number;
  oldestSubmittedAtMs: number | null;
  lastSuccessAtMs: number | null;
  /** Newest last. */
  runs: readonly RunView[];
}

export interface StatusView {
  nowMs: number;
  startedAtMs: number;
  location: string;
  baseUrl: string;
  version: string;
  links: { runbook: string | null; dashboard: string | null };
  canaries: readonly CanaryView[];
  /** What is wrong now, a sentence each. */
  troubles: readonly string[];
}

/** Ours: as many bars as fit a page, and some hours of a canary a minute tell no more. */
const RUNS_SHOWN = 40;
/** Ours: a canary that missed this many intervals in a row is not merely late. */
const SILENT_INTERVALS = 3;

interface Entry {
  canary: Canary;
  nextDueMs: number | null;
  inFlight: Map<string, number>;
  lastSuccessAtMs: number | null;
  lastSettledAtMs: number | null;
  runs: RunView[];
  /** Why the last run that was due did not start; null when it did. */
  skipped: string | null;
}

export interface BoardFacts {
  startedAtMs: number;
  location: string;
  baseUrl: string;
  version: string;
  links: StatusView["links"];
}

export class StatusBoard {
  readonly #facts: BoardFacts;
  readonly #entries = new Map<string, Entry>();
  readonly #violations = new Map<string, string[]>();
  #journalTrouble: string | null = null;
  #reloadTrouble: string | null = null;

  constructor(facts: BoardFacts) {
    this.#facts = facts;
  }

  /** The canaries in use from now on; the history of those that stay is kept. */
  show(canaries: readonly Canary[]): void {
    const known = new Map(this.#entries);
    this.#entries.clear();
    for (const canary of canaries) {
      const entry = known.get(canary.name) ?? newEntry(canary);
      this.#entries.set(canary.name, { ...entry, canary });
    }
  }

  apply(event: ProbeEvent): void {
    if (event.type === "journal-failed") this.#journalTrouble = `journal: ${event.why}`;
    if (event.type === "journal-recovered") this.#journalTrouble = null;
    if (event.type === "reload") {
      this.#reloadTrouble = event.ok ? null : `the target file is not in use: ${event.why}`;
    }
    if (event.type === "run-due" || event.type === "run-skipped") this.#due(event);
    if (event.type === "violation" && event.run !== null) {
      const said = this.#violations.get(event.run.runId) ?? [];
      this.#violations.set(event.run.runId, [...said, `${event.promise}: ${event.summary}`]);
    }
    if (!("run" in event) || event.run === null) return;
    const entry = this.#entries.get(event.run.canary);
    if (entry !== undefined) applyToEntry(entry, event, this.#violations);
  }

  #due(event: ProbeEvent & { type: "run-due" | "run-skipped" }): void {
    const entry = this.#entries.get(event.canary);
    if (entry === undefined) return;
    if (event.type === "run-due") {
      entry.nextDueMs = event.nextDueMs;
      entry.skipped = null;
    } else entry.skipped = event.why;
  }

  inFlight(): readonly { canary: string; count: number; oldestMs: number | null }[] {
    return [...this.#entries].map(([canary, { inFlight }]) => {
      return { canary, count: inFlight.size, oldestMs: oldest(inFlight) };
    });
  }

  view(nowMs: number): StatusView {
    const entries = [...this.#entries.values()];
    return {
      nowMs,
      ...this.#facts,
      canaries: entries.map(viewOf),
      troubles: [
        ...[this.#journalTrouble, this.#reloadTrouble].filter((each) => each !== null),
        ...entries.flatMap((entry) => troublesOf(entry, nowMs, this.#facts.startedAtMs)),
      ],
    };
  }
}

function newEntry(canary: Canary): Entry {
  return {
    canary,
    nextDueMs: null,
    inFlight: new Map(),
    lastSuccessAtMs: null,
    lastSettledAtMs: null,
    runs: [],
    skipped: null,
  };
}

function applyToEntry(
  entry: Entry,
  event: Extract<ProbeEvent, { run: unknown }>,
  violations: Map<string, string[]>,
): void {
  if (event.run === null) return;
  const { runId, jobId } = event.run;
  if (event.type === "run-started") entry.inFlight.set(runId, event.atMs);
  if (event.type === "run-recovered") entry.inFlight.set(runId, event.submittedAtMs);
  if (event.type !== "run-settled" && event.type !== "run-remembered") return;
  const { settled } = event;
  entry.inFlight.delete(runId);
  // An earlier process's verdict does not make this one late.
  if (event.type === "run-settled") entry.lastSettledAtMs = settled.settledAtMs;
  if (settled.outcome === "success") entry.lastSuccessAtMs = settled.settledAtMs;
  const view = runView(runId, jobId, settled, violations.get(runId) ?? []);
  violations.delete(runId);
  entry.runs = [...entry.runs, view].slice(-RUNS_SHOWN);
}

function runView(
  runId: string,
  jobId: string | null,
  { outcome, why, submittedAtMs, settledAtMs, stays }: Settled,
  violations: readonly string[],
): RunView {
  const durationMs = settledAtMs - submittedAtMs;
  return { runId, jobId, outcome, why, submittedAtMs, durationMs, stays, violations };
}

function viewOf({ canary, nextDueMs, inFlight, lastSuccessAtMs, runs }: Entry): CanaryView {
  const { name, workerId, everyMs, deadlineMs, expected } = canary;
  const facts = { name, workerId, everyMs, deadlineMs, expected };
  const flight = { inFlight: inFlight.size, oldestSubmittedAtMs: oldest(inFlight) };
  return { ...facts, nextDueMs, ...flight, lastSuccessAtMs, runs };
}

function oldest(inFlight: ReadonlyMap<string, number>): number | null {
  return inFlight.size === 0 ? null : Math.min(...inFlight.values());
}

/** No news is trouble, too: a page must not be green because nothing was seen. */
function troublesOf(entry: Entry, nowMs: number, startedAtMs: number): string[] {
  const { canary, runs, lastSettledAtMs, skipped } = entry;
  const last = runs.at(-1);
  const quietMs = nowMs - (lastSettledAtMs ?? startedAtMs);
  const allowedMs = SILENT_INTERVALS * canary.everyMs + canary.deadlineMs;
  return [
    ...(last === undefined || last.outcome === "success"
      ? []
      : [`${canary.name}: ${last.outcome}: ${last.why}`]),
    ...(last?.violations ?? []).map((violation) => `${canary.name}: broken ${violation}`),
    ...(skipped === null ? [] : [`${canary.name}: not started: ${skipped}`]),
    ...(quietMs > allowedMs ? [`${canary.name}: no verdict for ${seconds(quietMs)}`] : []),
  ];
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
