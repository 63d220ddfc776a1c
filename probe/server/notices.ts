/**
 * News of a moment: each kind is shown for ten minutes after it last came. It is over as soon as a
 * later run went well that had as long to show it, unless it comes again.
 */

import { isRenewalOverdue } from "../../contract/requests/certificate.ts";
import type { ProbeEvent, RunFacts } from "../events.ts";
import { dayTime, spell } from "../spell.ts";
import type { Cause } from "./causes.ts";
import { causeOfAnswers, causeOfProbe, causeOfPromise } from "./causes.ts";
import type { Sighting } from "./problems.ts";
import { EXAMPLES_MAX } from "./problems.ts";
import { NOTICE_MS, RUNS_SHOWN } from "./view.ts";

/** Ours: more than two canaries have that see every promise broken; beyond it the oldest goes. */
const NOTICES_MAX = 200;

/** Ours: the jobs of several canaries end meanwhile. */
const NONE_CAME_MS = 5 * 60_000;

const MISSING = causeOfProbe("webhook.missing").id;
/** A run that goes well says nothing of a journal that could not be read, nor of what will be. */
const APART_FROM_RUNS = (["journal", "certificate", "receiver-certificate"] as const).map(
  (id) => causeOfProbe(id).id,
);

/** A run that was never refused does not show how the service refuses. */
function isApartFromRuns({ cause, run }: Notice): boolean {
  return APART_FROM_RUNS.includes(cause.id) || (run === null && cause.promise !== undefined);
}

interface Notice {
  cause: Cause;
  run: RunFacts | null;
  detail: string | null;
}

/** A canary's run that ended with success and broke no promise. */
export interface GoodRun {
  canary: string;
  submittedAtMs: number;
}

/** What the canaries' rows show of their runs. */
export interface SeenRuns {
  /** The newest run of each canary, whose news stand until the next one. */
  last: ReadonlySet<string>;
  /** By run. */
  submittedAtMs: ReadonlyMap<string, number>;
  good: readonly GoodRun[];
}

interface Kept {
  cause: Cause;
  canary: string | null;
  /** How long after the submission of its run it was known; null where no run ends it. */
  lagMs: number | null;
  /** It came again after it was over: good runs between say nothing of the next one. */
  isAgain: boolean;
  sinceMs: number;
  lastAtMs: number;
  times: number;
  /** Newest first, a few. */
  newest: readonly Notice[];
  /** Newest first, as many as a canary's row shows. */
  runIds: readonly string[];
}

/** By what it is about and who saw it, so that one noisy kind leaves room for the others. */
export class Notices {
  readonly #kept = new Map<string, Kept>();
  /** When the last webhook came; null: none did. */
  #webhookAtMs: number | null = null;
  /** Whether the probe's own requests reach its receiver. */
  #isReached = false;

  add(event: ProbeEvent, nowMs: number, seenRuns: () => SeenRuns): void {
    if (event.type === "delivery" && event.outcome === "first") this.#webhookAtMs = nowMs;
    if (event.type === "receiver") this.#isReached = event.byItself === true;
    const news = noticesOf(event, nowMs);
    if (news.length === 0) return;
    const runs = seenRuns();
    for (const [key, kept] of this.#kept) {
      if (!isShown(kept, nowMs, runs)) this.#kept.delete(key);
    }
    if (event.type === "answer-fault" && event.what === "awaits-run") this.#explainSlow();
    for (const notice of news) this.#keep(notice, nowMs, runs);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= NOTICES_MAX) break;
      this.#kept.delete(oldest);
    }
  }

  /** Why answers take seconds is known now; where others do as well, the next one says so. */
  #explainSlow(): void {
    this.#kept.delete(keyOf(causeOfAnswers("slow"), null));
  }

  #keep(notice: Notice, nowMs: number, runs: SeenRuns): void {
    const { cause, run } = notice;
    const canary = run?.canary ?? null;
    const key = keyOf(cause, canary);
    const before = this.#kept.get(key);
    const isAgain = before !== undefined && (before.isAgain || isOver(before, nowMs, runs));
    const startMs = run === null ? nowMs : runs.submittedAtMs.get(run.runId);
    const isOpen = startMs === undefined || isAgain || isApartFromRuns(notice);
    // Taken out first, so that the map is in the order of the last news.
    this.#kept.delete(key);
    this.#kept.set(key, {
      cause,
      canary,
      lagMs: isOpen ? null : nowMs - startMs,
      isAgain,
      sinceMs: before?.sinceMs ?? nowMs,
      lastAtMs: nowMs,
      times: (before?.times ?? 0) + 1,
      newest: [notice, ...(before?.newest ?? [])].slice(0, EXAMPLES_MAX),
      runIds: [...(run === null ? [] : [run.runId]), ...(before?.runIds ?? [])].slice(
        0,
        RUNS_SHOWN,
      ),
    });
  }

  shown(nowMs: number, runs: SeenRuns): readonly Sighting[] {
    return [...this.#kept.values()]
      .filter((kept) => isShown(kept, nowMs, runs))
      .map(({ newest, lagMs, isAgain: _, ...seen }) => ({
        ...seen,
        isOver: isOver({ ...seen, lagMs }, nowMs, runs),
        details: [
          ...newest.flatMap(({ detail }) => detail ?? []),
          ...(seen.cause.id === MISSING ? this.#whyNone(nowMs) : []),
        ],
        jobIds: newest.flatMap(({ run }) => run?.jobId ?? []),
      }));
  }

  /** Where none comes at all, it may be the way to the receiver, of which jobs tell nothing. */
  #whyNone(nowMs: number): readonly string[] {
    const atMs = this.#webhookAtMs;
    if (atMs !== null && nowMs - atMs < NONE_CAME_MS) return [];
    const came =
      atMs === null
        ? "none has come since the probe started"
        : `none has come for ${spell(nowMs - atMs)}, since ${dayTime(atMs, nowMs)} UTC`;
    return this.#isReached
      ? [`${came}, though the probe itself reaches its receiver`]
      : [`${came}: the receiver may be out of the service's reach`];
  }
}

/** The job is listed beside what was seen. */
function withoutJob(summary: string, run: RunFacts | null): string {
  if (run?.jobId == null) return summary;
  return summary.replaceAll(`(${run.jobId}, `, "(").replaceAll(` of job ${run.jobId} `, " ");
}

function keyOf({ id }: Cause, canary: string | null): string {
  return `${id} ${canary}`;
}

function isShown({ lastAtMs, newest }: Kept, nowMs: number, { last }: SeenRuns): boolean {
  const isOfLast = newest.some(({ run }) => run !== null && last.has(run.runId));
  return isOfLast || nowMs - lastAtMs < NOTICE_MS;
}

/** Of what one canary saw, only its own runs tell. */
function isOver(
  { canary, lastAtMs, lagMs }: Pick<Kept, "canary" | "lastAtMs" | "lagMs">,
  nowMs: number,
  { good }: SeenRuns,
): boolean {
  if (lagMs === null) return false;
  return good.some((run) => {
    const isOwn = canary === null || run.canary === canary;
    return isOwn && run.submittedAtMs > lastAtMs && nowMs - run.submittedAtMs >= lagMs;
  });
}

function noticesOf(event: ProbeEvent, nowMs: number): readonly Notice[] {
  const of = (cause: Cause, detail: string | null = null, run: RunFacts | null = null) => {
    return { cause, detail, run };
  };
  switch (event.type) {
    case "violation":
      // What a check saw stands with it, and ends as it does.
      if (event.check !== undefined) return [];
      return [of(causeOfPromise(event.promise), withoutJob(event.summary, event.run), event.run)];
    case "delivery": {
      const { run, outcome } = event;
      return run === null || outcome !== "missing"
        ? []
        : [of(causeOfProbe("webhook.missing"), null, run)];
    }
    case "answer-fault":
      return [of(causeOfAnswers(event.what), event.why)];
    case "disturbance": {
      const { sleptMs, steppedMs } = event;
      return [
        ...(sleptMs > 0 ? [of(causeOfProbe("suspended"), `for ${spell(sleptMs)}`)] : []),
        ...(steppedMs !== 0
          ? [of(causeOfProbe("clock-set"), `by ${spell(Math.abs(steppedMs))}`)]
          : []),
      ];
    }
    case "certificate": {
      const { validity } = event;
      const text = `at ${new Date(validity.untilMs).toISOString()}`;
      const cause = event.of === "service" ? "certificate" : "receiver-certificate";
      return isRenewalOverdue(validity, nowMs) ? [of(causeOfProbe(cause), text)] : [];
    }
    case "journal-failed":
      // That it can't be written stands until it can be again.
      return event.what === "write" ? [] : [of(causeOfProbe("journal"), event.why)];
    default:
      return [];
  }
}
