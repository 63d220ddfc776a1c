/** News of a moment: each kind stands for ten minutes after it last came, whatever came since. */

import type { ProbeEvent } from "../events.ts";
import { spell } from "./spell.ts";
import { BROKEN_PROMISE, NO_WEBHOOK } from "./troubles.ts";

/** Ours: what happened once is news for this long. */
const NOTICE_MS = 10 * 60_000;
/** Ours: more than two canaries have that see every promise broken; beyond it the oldest goes. */
const NOTICES_MAX = 200;

interface Notice {
  /** What it is about: how its sentence begins. */
  head: string;
  /** What was seen this time; null where the head says all. */
  detail: string | null;
  /** The job that it is about; null where it is about none. */
  jobId: string | null;
}

interface Kept extends Notice {
  atMs: number;
  times: number;
}

/** By what it is about, so that one noisy kind leaves room for the others. */
export class Notices {
  readonly #kept = new Map<string, Kept>();

  add(event: ProbeEvent, nowMs: number): void {
    for (const [head, { atMs }] of this.#kept) {
      if (nowMs - atMs >= NOTICE_MS) this.#kept.delete(head);
    }
    for (const notice of noticesOf(event)) {
      const { head } = notice;
      const times = (this.#kept.get(head)?.times ?? 0) + 1;
      // Taken out first, so that the map is in the order of the last news.
      this.#kept.delete(head);
      this.#kept.set(head, { ...notice, atMs: nowMs, times });
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= NOTICES_MAX) break;
      this.#kept.delete(oldest);
    }
  }

  /** How the sentences of those that stand begin, and the sentences with when and how often. */
  standing(nowMs: number): readonly { head: string; told: string }[] {
    return [...this.#kept.values()]
      .filter(({ atMs }) => nowMs - atMs < NOTICE_MS)
      .map((notice) => ({ head: notice.head, told: toldOf(notice, nowMs) }));
  }
}

function toldOf({ head, detail, jobId, atMs, times }: Kept, nowMs: number): string {
  const ago = `${spell(nowMs - atMs)} ago`;
  const when = times === 1 ? ago : `${times} times, last ${ago}`;
  const what = detail === null ? head : `${head}: ${detail}`;
  return `${what} (${when}${jobId === null ? "" : `, ${jobId}`})`;
}

function noticesOf(event: ProbeEvent): readonly Notice[] {
  const of = (head: string, detail: string | null = null, jobId: string | null = null) => {
    return { head, detail, jobId };
  };
  switch (event.type) {
    case "violation": {
      const { run, promise, summary } = event;
      if (run === null) return [of(`broken promise: ${promise}`, summary)];
      return [of(`${run.canary} ${BROKEN_PROMISE}: ${promise}`, summary, run.jobId)];
    }
    case "delivery": {
      const { run, outcome } = event;
      if (run === null || outcome !== "missing") return [];
      return [of(`${run.canary} ${NO_WEBHOOK}`, null, run.jobId)];
    }
    case "disturbance": {
      const slept = `this machine slept for ${spell(event.sleptMs)}`;
      return [
        ...(event.sleptMs > 0 ? [of(slept)] : []),
        ...(event.steppedMs !== 0 ? [of("the clock of this machine was set")] : []),
      ];
    }
    case "journal-failed":
      // That it can't be written stands until it can be again.
      return event.what === "write" ? [] : [of(`journal: ${event.why}`)];
    default:
      return [];
  }
}
