/** Keeps what the status page and /api/canaries show: the last runs of each canary, troubles. */

import type { Canary } from "../canary/canary.ts";
import type { ProbeEvent, Settled } from "../events.ts";
import { Notices } from "./notices.ts";
import { troublesOf } from "./troubles.ts";
import type { CanaryView, RunView, StatusView } from "./view.ts";

/** Ours: as many bars as fit a page, and some hours of a canary a minute tell no more. */
export const RUNS_SHOWN = 40;

interface Entry {
  canary: Canary;
  /** When it came to be one of the target's, which may be long after the probe began. */
  shownSinceMs: number;
  nextDueMs: number | null;
  inFlight: Map<string, number>;
  /** Broken promises of runs that have no verdict yet. */
  violations: Map<string, string[]>;
  lastSuccessAtMs: number | null;
  lastSettledAtMs: number | null;
  runs: RunView[];
  /** Why the last run that was due did not start; null when it did. */
  skipped: string | null;
}

export type BoardFacts = Pick<StatusView, "startedAtMs" | "location" | "baseUrl" | "version">;
type Of<Type extends ProbeEvent["type"]> = Extract<ProbeEvent, { type: Type }>;

export class StatusBoard {
  readonly #facts: BoardFacts;
  #links: StatusView["links"] = { runbook: null, dashboard: null };
  readonly #entries = new Map<string, Entry>();
  /** Troubles that last until they are over, by what they are about. */
  readonly #standing = new Map<string, string>();
  readonly #notices = new Notices();
  readonly #nowMs: () => number;

  constructor(facts: BoardFacts, nowMs: () => number) {
    this.#facts = facts;
    this.#nowMs = nowMs;
  }

  /** The canaries in use from now on; the history of those that stay is kept. */
  show(canaries: readonly Canary[], links: StatusView["links"]): void {
    this.#links = links;
    const known = new Map(this.#entries);
    this.#entries.clear();
    for (const canary of canaries) {
      const entry = known.get(canary.name) ?? newEntry(canary, this.#nowMs());
      this.#entries.set(canary.name, { ...entry, canary });
    }
  }

  apply(event: ProbeEvent): void {
    this.#applyToProbe(event);
    const name = "canary" in event ? event.canary : "run" in event ? event.run?.canary : undefined;
    const entry = name === undefined ? undefined : this.#entries.get(name);
    if (entry !== undefined) applyToEntry(entry, event);
  }

  /** What stands by itself, whichever runs the canaries' rows still show. */
  #applyToProbe(event: ProbeEvent): void {
    this.#notices.add(event, this.#nowMs());
    const standing = standingOf(event);
    if (standing === null) return;
    const { about, trouble } = standing;
    if (trouble === null) this.#standing.delete(about);
    else this.#standing.set(about, trouble);
  }

  inFlight(): readonly { canary: string; count: number; oldestMs: number | null }[] {
    return [...this.#entries].map(([canary, { inFlight }]) => {
      return { canary, count: inFlight.size, oldestMs: oldest(inFlight) };
    });
  }

  view(nowMs: number): StatusView {
    const entries = [...this.#entries.values()].map((entry) => ({ entry, canary: viewOf(entry) }));
    const notices = this.#notices.standing(nowMs);
    const isNoticed = (trouble: string) =>
      notices.some(({ head }) => trouble === head || trouble.startsWith(`${head}:`));
    return {
      nowMs,
      ...this.#facts,
      links: this.#links,
      canaries: entries.map(({ canary }) => canary),
      troubles: [
        ...entries
          .flatMap(({ entry: { skipped, shownSinceMs, lastSettledAtMs }, canary }) =>
            troublesOf({ canary, skipped, quietSinceMs: lastSettledAtMs ?? shownSinceMs, nowMs }),
          )
          // What the last run saw is news as well at first: it is told once.
          .filter((trouble) => !isNoticed(trouble)),
        ...this.#standing.values(),
        ...notices.map(({ told }) => told),
        ...(entries.length === 0 ? ["no canary is configured: nothing is watched"] : []),
      ],
      unknown: entries.flatMap(({ entry, canary }) =>
        entry.lastSettledAtMs === null ? [`${canary.name} has no verdict yet`] : [],
      ),
    };
  }
}

/** A trouble that lasts, or that it is over; null for an event that tells of neither. */
function standingOf(event: ProbeEvent): { about: string; trouble: string | null } | null {
  const about = (name: string, trouble: string | null) => ({ about: name, trouble });
  switch (event.type) {
    case "journal-failed":
      return event.what === "write" ? about("journal", `journal: ${event.why}`) : null;
    case "journal-recovered":
      return about("journal", null);
    case "reload":
      return about("file", event.ok ? null : `the target file is not taken: ${event.why}`);
    case "receiver":
      return about("receiver", event.listening ? null : `no webhook can arrive: ${event.why}`);
    case "api-check": {
      const { check, outcome, why } = event;
      const text = `the check of ${check} failed: ${why} (${outcome})`;
      return about(`check ${check}`, outcome === "success" ? null : text);
    }
    default:
      return null;
  }
}

function newEntry(canary: Canary, shownSinceMs: number): Entry {
  return {
    canary,
    shownSinceMs,
    nextDueMs: null,
    inFlight: new Map(),
    violations: new Map(),
    lastSuccessAtMs: null,
    lastSettledAtMs: null,
    runs: [],
    skipped: null,
  };
}

function applyToEntry(entry: Entry, event: ProbeEvent): void {
  switch (event.type) {
    case "run-planned":
      entry.nextDueMs = event.nextDueMs;
      break;
    case "run-due":
      entry.nextDueMs = event.nextDueMs;
      entry.skipped = null;
      break;
    case "run-skipped":
      entry.skipped = event.why;
      break;
    case "run-started":
      entry.inFlight.set(event.run.runId, event.atMs);
      break;
    case "run-recovered":
      entry.inFlight.set(event.run.runId, event.submittedAtMs);
      break;
    case "run-settled":
      entry.lastSettledAtMs = event.settled.settledAtMs;
      applySettled(entry, event);
      break;
    case "run-remembered":
      // An earlier process's verdict does not make this one late.
      applySettled(entry, event);
      break;
    case "violation":
      applyViolation(entry, event);
      break;
    case "delivery":
      applyDelivery(entry, event);
  }
}

function applySettled(entry: Entry, { run, settled }: Of<"run-settled" | "run-remembered">): void {
  entry.inFlight.delete(run.runId);
  if (settled.outcome === "success") entry.lastSuccessAtMs = settled.settledAtMs;
  const violations = entry.violations.get(run.runId) ?? [];
  entry.violations.delete(run.runId);
  const view = runView(run.runId, run.jobId, settled, violations);
  entry.runs = [...entry.runs, view].slice(-RUNS_SHOWN);
}

function applyViolation(entry: Entry, { run, promise, summary }: Of<"violation">): void {
  if (run === null) return;
  const text = `${promise}: ${summary}`;
  if (entry.inFlight.has(run.runId)) {
    const said = entry.violations.get(run.runId) ?? [];
    entry.violations.set(run.runId, [...said, text]);
  } else change(entry, run.runId, (view) => ({ ...view, violations: [...view.violations, text] }));
}

function applyDelivery(entry: Entry, { run, outcome }: Of<"delivery">): void {
  if (run === null || (outcome !== "first" && outcome !== "missing")) return;
  const webhook = outcome === "first" ? "arrived" : "missing";
  change(entry, run.runId, (view) => ({ ...view, webhook }));
}

function change(entry: Entry, runId: string, to: (view: RunView) => RunView): void {
  entry.runs = entry.runs.map((view) => (view.runId === runId ? to(view) : view));
}

function runView(
  runId: string,
  jobId: string | null,
  { outcome, why, submittedAtMs, settledAtMs, stays }: Settled,
  violations: readonly string[],
): RunView {
  const durationMs = settledAtMs - submittedAtMs;
  const common = { runId, jobId, outcome, why, submittedAtMs, durationMs };
  return { ...common, stays, violations, webhook: null };
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
