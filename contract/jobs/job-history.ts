/** What an observer saw of one job, from its submission to the last poll of it. */

import type { Exchange } from "../requests/exchange.ts";
import type { EndState } from "../states.ts";

/** What a file's address answered without a key, when the end of its job had just been seen. */
export interface FileTried {
  url: string;
  /** 0 where nothing came. */
  status: number;
  /** What it was answered at first. Left out: it was asked for once, or refused to the end. */
  firstStatus?: number;
  /** Of the whole file; null where the answer does not tell. */
  bytes: number | null;
  /** Marks of inputs at the beginning of what came. Left out: there is none. */
  marks?: readonly string[];
}

/** All times are milliseconds on the observer's clock, as in `Exchange`. */
export interface JobHistory {
  /** The POST that created the job, with its answer. */
  submission: Exchange;
  /** `decodeAccepted(jsonBody(submission)).value?.id`; null when the answer named none. */
  issuedId: string | null;
  /** The worker that the job was submitted to. */
  workerId: string;
  /** Answers to GET /v1/jobs/{id} in the order of sending. */
  polls: readonly Exchange[];
  /** Requests to cancel this job, in the order of sending. */
  cancelRequests: readonly Exchange[];
  /** How the job should end by the part that its worker plays; null when nobody can tell. */
  expected: EndState | null;
  /** When the observer stopped waiting for the end without having seen it; otherwise null. */
  gaveUpAtMs: number | null;
  /** How long the observer was ready to wait: queue, the worker's limit and lag included. */
  deadlineMs: number;
  /**
   * A run that stands for longer is over or will never be: the worker's limit and a margin, however
   * long the observer waited. null or left out where that limit is not known.
   */
  lostAfterMs?: number | null;
  /** Left out: none was asked for. */
  filesTried?: readonly FileTried[];
}

/**
 * Each identifier's first submission, in the order of sending, and all without one. A later one
 * that was given the same identifier is submit.unique-id's fault, and would be taken for a job that
 * ran before it was submitted.
 */
export function firstOfEach<Item>(
  items: readonly Item[],
  historyOf: (item: Item) => JobHistory,
): readonly Item[] {
  const sentAtMs = (item: Item) => historyOf(item).submission.sentAtMs;
  const seen = new Set<string>();
  return [...items]
    .sort((a, b) => sentAtMs(a) - sentAtMs(b))
    .filter((item) => {
      const { issuedId } = historyOf(item);
      if (issuedId === null) return true;
      const isFirst = !seen.has(issuedId);
      seen.add(issuedId);
      return isFirst;
    });
}
