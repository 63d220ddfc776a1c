/**
 * A child process that judges services: those that are judged side by side must not all wait for
 * each other in one event loop. It is sent numbered conditions, and answers each with the run's
 * result or with what went wrong.
 */

import type { RunResult } from "../../contract/run-result.ts";
import type { Condition } from "./judge-service.ts";
import { judgeService, limitMs } from "./judge-service.ts";

export interface Question {
  number: number;
  condition: Condition;
}

export interface Answer {
  number: number;
  /** null when the run could not be made. */
  result: RunResult | null;
  /** What went wrong then. */
  error: string | null;
}

/** The parent ends this process by closing the channel; k6 is stopped then. */
const parentGone = new AbortController();

process.on("message", (question: Question) => void answer(question));
process.on("disconnect", () => parentGone.abort());
process.on("SIGINT", () => parentGone.abort());

async function answer({ number, condition }: Question): Promise<void> {
  const signal = AbortSignal.any([parentGone.signal, AbortSignal.timeout(limitMs(condition))]);
  const said = await judgeService(condition, signal).then(
    (result): Answer => ({ number, result, error: null }),
    (error: unknown): Answer => ({ number, result: null, error: messageOf(error) }),
  );
  if (process.connected) process.send?.(said);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
