/**
 * A child process that judges one service after the other: the services that are judged side by
 * side must not wait for each other in one event loop. It is sent a condition, and answers with
 * the run's result or with what went wrong.
 */

import type { RunResult } from "../../contract/run-result.ts";
import type { Condition } from "./judge-service.ts";
import { judgeService } from "./judge-service.ts";

export type Answer = { result: RunResult } | { error: string };

/** Ours: twice what the longest run takes on a busy machine; a run that hangs must end. */
const RUN_MS_MAX = 8 * 60_000;

/** The parent ends this process by closing the channel; k6 is stopped then. */
const parentGone = new AbortController();

process.on("message", (condition: Condition) => void judge(condition));
process.on("disconnect", () => parentGone.abort());
process.on("SIGINT", () => parentGone.abort());

async function judge(condition: Condition): Promise<void> {
  const signal = AbortSignal.any([parentGone.signal, AbortSignal.timeout(RUN_MS_MAX)]);
  const answer: Answer = await judgeService(condition, signal).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  if (process.connected) process.send?.(answer);
}
