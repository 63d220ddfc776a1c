/** What is wrong with a canary, in words for a person at three in the morning. */

import { servedWell } from "../outcome.ts";
import { spell } from "./spell.ts";
import type { CanaryView, RunView } from "./view.ts";

export interface CanaryFacts {
  canary: CanaryView;
  /** Why the last run that was due did not start; null when it did. */
  skipped: string | null;
  /** Since when no run came to a verdict. */
  quietSinceMs: number;
  nowMs: number;
}

/** What a canary saw of one of its runs; the same words as news and of the last run. */
export const BROKEN_PROMISE = "saw a broken promise";
export const NO_WEBHOOK = "got no webhook for its job";

/** Ours: a canary that missed this many intervals in a row is not merely late. */
const SILENT_INTERVALS = 3;

/** No news is trouble, too: a page must not be green because nothing was seen. */
export function troublesOf({ canary, skipped, quietSinceMs, nowMs }: CanaryFacts): string[] {
  const { name, runs, everyMs, deadlineMs } = canary;
  const last = runs.at(-1);
  const quietMs = nowMs - quietSinceMs;
  const told = last === undefined ? [] : [...failing(canary, last, nowMs), ...breaking(last)];
  return [
    ...told,
    ...(skipped === null ? [] : [`was not started: ${skipped}`]),
    ...(quietMs > SILENT_INTERVALS * everyMs + deadlineMs
      ? [`has had no verdict for ${spell(quietMs)}`]
      : []),
  ].map((trouble) => `${name} ${trouble}`);
}

function failing({ runs, lastSuccessAtMs }: CanaryView, last: RunView, nowMs: number): string[] {
  const { outcome, why } = last;
  if (outcome === "success") return [];
  const others = runs.length - 1 - runs.findLastIndex((run) => run.outcome === "success");
  const verb = servedWell(outcome) === "bad" ? "failed" : "could not tell";
  const times = others === 1 ? verb : `${verb} ${others} times in a row`;
  const since =
    lastSuccessAtMs === null
      ? "no success is known"
      : `last success ${spell(nowMs - lastSuccessAtMs)} ago`;
  return [`${times}: ${why} (${outcome}); ${since}`];
}

function breaking({ violations, webhook }: RunView): string[] {
  return [
    ...violations.map((violation) => `${BROKEN_PROMISE}: ${violation}`),
    ...(webhook === "missing" ? [NO_WEBHOOK] : []),
  ];
}
