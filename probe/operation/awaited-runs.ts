/**
 * Submissions that are answered only when their jobs have run: the answer takes as long as the job
 * does, run after run. One canary can't tell it from a fault of the network for certain, so that
 * the page names it and no promise is counted as broken. Spec §1.2.
 */

import { issuedIdIn } from "../../contract/decode/accepted.ts";
import { jobIn } from "../../contract/decode/job.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { tookMsOf } from "../../contract/requests/exchange.ts";
import { isTerminal } from "../../contract/states.ts";
import { spell } from "../spell.ts";

/** Ours: of the job's whole span, and of the answer; the rest is the way and the next poll. */
const SHARE_MIN = 0.8;
/** Ours: two in a row may be a bad moment. */
const IN_A_ROW = 3;
/** Ours: more jobs than canaries have in flight whose submissions took seconds. */
const OPEN_MAX = 100;

export class AwaitedRuns {
  /** Submissions that took seconds, by the identifiers of their jobs, until these have ended. */
  readonly #open = new Map<string, Exchange>();
  /** By path, which names the worker: how many in a row were answered with the end of the run. */
  readonly #inARow = new Map<string, number>();

  /** A submission whose answer took seconds, or did not. */
  submitted(submission: Exchange, isSlow: boolean): void {
    const id = issuedIdIn(submission);
    if (id === null) return;
    if (!isSlow) {
      this.#inARow.delete(submission.path);
      return;
    }
    this.#open.set(id, submission);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= OPEN_MAX) break;
      this.#open.delete(oldest);
    }
  }

  /** Whether submissions on this path were answered so until now. */
  isKnown(path: string): boolean {
    return (this.#inARow.get(path) ?? 0) >= IN_A_ROW;
  }

  /** What a poll shows, once it is known; else null. */
  polled(poll: Exchange): string | null {
    const job = this.#open.size === 0 ? null : jobIn(poll);
    const submission = this.#open.get(job?.id ?? "");
    if (job?.id == null || submission === undefined || !isTerminal(job.state)) return null;
    this.#open.delete(job.id);
    const answeredMs = tookMsOf(submission);
    const ranMs = job.durationMs ?? 0;
    // An answer that takes seconds though the job is short is slow by itself: so may the others be.
    if (ranMs < SHARE_MIN * answeredMs) this.#inARow.clear();
    const spanMs = poll.receivedAtMs - submission.sentAtMs;
    const isAwaited = ranMs >= SHARE_MIN * answeredMs && answeredMs >= SHARE_MIN * spanMs;
    const { method, path } = submission;
    this.#inARow.set(path, isAwaited ? (this.#inARow.get(path) ?? 0) + 1 : 0);
    if (!this.isKnown(path)) return null;
    return `${method} ${path} was answered after ${spell(answeredMs)}; its job ran ${spell(ranMs)}`;
  }
}
