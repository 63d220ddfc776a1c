/** Keeps what the status page and /api/canaries show: the last runs of each canary, problems. */

import { rounded } from "../../contract/numbers/figures.ts";
import { traceLink } from "../../contract/requests/trace.ts";
import type { Target } from "../../contract/target.ts";
import type { Canary } from "../canary/canary.ts";
import type { ProbeEvent, Settled } from "../events.ts";
import { traceIdOfRun } from "../trace.ts";
import type { Cause } from "./causes.ts";
import { causeOfOutcome, causeOfProbe } from "./causes.ts";
import { FailingChecks } from "./failing-checks.ts";
import type { SeenRuns } from "./notices.ts";
import { Notices } from "./notices.ts";
import type { Dropped, FoundProblem, Sighting, SkippedRuns } from "./problems.ts";
import { droppedWith, problemsOf, sentenceOf, sightingsOf } from "./problems.ts";
import type { CanaryView, Pause, RunView, StatusView } from "./view.ts";
import { RUNS_SHOWN } from "./view.ts";

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
  /** Of runs before these. */
  dropped: Dropped;
  /** null when the last run that was due did start. */
  skipped: SkippedRuns | null;
}

export type BoardFacts = Pick<StatusView, "startedAtMs" | "location" | "baseUrl" | "version">;
type Of<Type extends ProbeEvent["type"]> = Extract<ProbeEvent, { type: Type }>;

export class StatusBoard {
  readonly #facts: BoardFacts;
  #links: StatusView["links"] = { runbook: null, dashboard: null };
  readonly #entries = new Map<string, Entry>();
  /** What lasts until it is over, by cause. */
  readonly #standing = new Map<string, Sighting>();
  readonly #checks = new FailingChecks();
  readonly #notices = new Notices();
  /** NaN where it can't be read. */
  #creditsLeft = Number.NaN;
  #receiverUrl: string | null = null;
  readonly #nowMs: () => number;
  readonly #trace: { url: string | null } | null;
  /** Runs of before the machine last slept are not overdue for that. */
  #awakeSinceMs = Number.NEGATIVE_INFINITY;

  /** `trace`: where the service shows the traces of runs. */
  constructor(facts: BoardFacts, nowMs: () => number, trace: Target["trace"]) {
    this.#facts = facts;
    this.#trace = trace ?? null;
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
    if (entry !== undefined) applyToEntry(entry, event, this.#nowMs());
  }

  /** What stands by itself, whichever runs the canaries' rows still show. */
  #applyToProbe(event: ProbeEvent): void {
    const nowMs = this.#nowMs();
    this.#notices.add(event, nowMs, () => this.#seenRuns());
    if (event.type === "credits") this.#creditsLeft = event.left;
    if (event.type === "receiver") this.#receiverUrl = event.url ?? this.#receiverUrl;
    if (event.type === "api-check") this.#checks.apply(event, nowMs);
    if (event.type === "disturbance" && event.sleptMs > 0) this.#awakeSinceMs = nowMs;
    const standing = standingOf(event);
    if (standing === null) return;
    const { cause, why } = standing;
    const before = this.#standing.get(cause.id);
    if (why === null) this.#standing.delete(cause.id);
    else this.#standing.set(cause.id, again(before, cause, why, nowMs));
  }

  #seenRuns(): SeenRuns {
    const entries = [...this.#entries.values()];
    const ended = entries.flatMap(({ runs }) => runs);
    const started = entries.flatMap(({ inFlight }) => [...inFlight]);
    const submitted = ended.map(({ runId, submittedAtMs }) => [runId, submittedAtMs] as const);
    return {
      last: new Set(entries.flatMap(({ runs }) => runs.at(-1)?.runId ?? [])),
      submittedAtMs: new Map([...started, ...submitted]),
      good: entries.flatMap(({ canary, runs }) =>
        runs.filter(isGood).map(({ submittedAtMs }) => ({ canary: canary.name, submittedAtMs })),
      ),
    };
  }

  inFlight(): readonly { canary: string; count: number; oldestMs: number | null }[] {
    return [...this.#entries].map(([canary, { inFlight }]) => {
      return { canary, count: inFlight.size, oldestMs: oldest(inFlight) };
    });
  }

  /** `pause`: the last that a 429 asked for, over or not. */
  view(nowMs: number, pause: Pause | null): StatusView {
    const entries = [...this.#entries.values()].map((entry) => ({ entry, canary: viewOf(entry) }));
    const sightings = [
      ...entries.flatMap(({ entry, canary }) => {
        const { skipped, dropped, shownSinceMs, lastSettledAtMs } = entry;
        const quietSinceMs = Math.max(lastSettledAtMs ?? shownSinceMs, this.#awakeSinceMs);
        return sightingsOf({ canary, skipped, dropped, quietSinceMs, nowMs });
      }),
      ...this.#standing.values(),
      ...this.#checks.sightings(nowMs),
      ...this.#notices.shown(nowMs, this.#seenRuns()),
      ...(entries.length === 0 ? [nothingWatched(this.#facts.startedAtMs, nowMs)] : []),
    ];
    const inFlight = entries.flatMap(({ entry }) => [...entry.inFlight.keys()]);
    const told = sightings.map((each) => withBalance(each, this.#creditsLeft));
    const { open, over } = foundIn(problemsOf(told, new Set(inFlight)), nowMs);
    return {
      nowMs,
      ...this.#facts,
      receiverUrl: this.#receiverUrl,
      links: this.#links,
      pause: pause !== null && pause.untilMs > nowMs ? pause : null,
      canaries: entries.map(({ canary }) => this.#withLinks(canary)),
      problems: open,
      over,
      unknown: entries.flatMap(({ entry, canary }) =>
        entry.lastSettledAtMs === null ? [`${canary.name} has no verdict yet`] : [],
      ),
    };
  }

  #withLinks(canary: CanaryView): CanaryView {
    const url = this.#trace?.url ?? null;
    if (url === null) return canary;
    const runs = canary.runs.map((run) => {
      return run.traceId === undefined ? run : { ...run, traceUrl: traceLink(url, run.traceId) };
    });
    return { ...canary, runs };
  }
}

function foundIn(found: readonly FoundProblem[], nowMs: number) {
  const shown = found.map(({ isOver, ...problem }) => {
    return { isOver, problem: { ...problem, summary: sentenceOf({ ...problem, isOver }, nowMs) } };
  });
  const those = (over: boolean) =>
    shown.flatMap(({ isOver, problem }) => (isOver === over ? [problem] : []));
  return { open: those(false), over: those(true) };
}

function isGood({ outcome, violations, webhook }: RunView): boolean {
  return outcome === "success" && violations.length === 0 && webhook !== "missing";
}

const NO_CREDITS = causeOfOutcome("credits").id;

/** Whether the account is empty, or the service refuses one that is not: who helps differs. */
function withBalance(seen: Sighting, left: number): Sighting {
  if (seen.cause.id !== NO_CREDITS || !Number.isFinite(left)) return seen;
  const balance = `the balance last read is ${rounded(left, 2)}`;
  return { ...seen, details: [...seen.details, balance] };
}

interface Standing {
  cause: Cause;
  /** null where it is over. */
  why: string | null;
}

/** null for an event about nothing that lasts. */
function standingOf(event: ProbeEvent): Standing | null {
  switch (event.type) {
    case "journal-failed":
      return event.what === "write" ? { cause: causeOfProbe("journal"), why: event.why } : null;
    case "journal-recovered":
      return { cause: causeOfProbe("journal"), why: null };
    case "reload":
      return { cause: causeOfProbe("target-file"), why: event.why };
    case "receiver":
      return { cause: causeOfProbe("receiver"), why: event.why };
    default:
      return null;
  }
}

function again(before: Sighting | undefined, cause: Cause, why: string, nowMs: number): Sighting {
  const times = (before?.times ?? 0) + 1;
  const sinceMs = before?.sinceMs ?? nowMs;
  return { ...OF_PROBE, cause, sinceMs, lastAtMs: nowMs, times, details: [why] };
}

function nothingWatched(sinceMs: number, lastAtMs: number): Sighting {
  return { ...OF_PROBE, cause: causeOfProbe("no-canary"), sinceMs, lastAtMs, times: 1 };
}

const OF_PROBE = { canary: null, details: [], jobIds: [] };

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
    dropped: new Map(),
    skipped: null,
  };
}

function skippedBy(
  before: SkippedRuns | null,
  { reason, why, count }: Of<"run-skipped">,
  nowMs: number,
): SkippedRuns {
  const same = before?.reason === reason ? before : null;
  const times = (same?.times ?? 0) + count;
  return { reason, why, sinceMs: same?.sinceMs ?? nowMs, lastAtMs: nowMs, times };
}

function applyToEntry(entry: Entry, event: ProbeEvent, nowMs: number): void {
  switch (event.type) {
    case "run-planned":
    case "run-due":
      entry.nextDueMs = event.nextDueMs;
      break;
    case "run-skipped":
      entry.skipped = skippedBy(entry.skipped, event, nowMs);
      break;
    case "run-started":
      entry.skipped = null;
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
  const runs = [...entry.runs, view];
  entry.dropped = runs.slice(0, -RUNS_SHOWN).reduce(droppedWith, entry.dropped);
  entry.runs = runs.slice(-RUNS_SHOWN);
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
  { outcome, why, submittedAtMs, settledAtMs, stays, traced }: Settled,
  violations: readonly string[],
): RunView {
  const durationMs = settledAtMs - submittedAtMs;
  const common = { runId, jobId, outcome, why, submittedAtMs, durationMs };
  const trace = traced ? { traceId: traceIdOfRun(runId) } : {};
  return { ...common, stays, violations, webhook: null, ...trace };
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
