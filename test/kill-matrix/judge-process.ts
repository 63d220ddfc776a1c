/**
 * A child process that judges services: those that are judged side by side must not all wait for
 * each other in one event loop. It is sent numbered conditions, and answers each with the run's
 * result or with what went wrong. Its argument names the means by which it judges.
 */

import type { RunResult } from "../../contract/run/run-result.ts";
import type { Condition, Means } from "./condition.ts";
import { judgeService, limitMs } from "./real/judge-service.ts";
import { judgeSimulated } from "./simulated.ts";

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
  /** Of this process meanwhile, which is the run's own when it judges one at a time. */
  cpuSeconds: number;
}

const JUDGE: Readonly<Record<Means, (condition: Condition) => Promise<RunResult>>> = {
  real: (condition) => {
    const limit = AbortSignal.timeout(limitMs(condition));
    return judgeService(condition, AbortSignal.any([parentGone.signal, limit]));
  },
  simulated: judgeSimulated,
};

/** The parent ends this process by closing the channel; k6 is stopped then. */
const parentGone = new AbortController();

const means: Means = process.argv[2] === "simulated" ? "simulated" : "real";

process.on("message", (question: Question) => void answer(question));
process.on("disconnect", () => parentGone.abort());
process.on("SIGINT", () => parentGone.abort());

async function answer({ number, condition }: Question): Promise<void> {
  const before = process.cpuUsage();
  const said = await JUDGE[means](condition).then(
    (result) => ({ result, error: null }),
    (error: unknown) => ({ result: null, error: messageOf(error) }),
  );
  const { user, system } = process.cpuUsage(before);
  const answered: Answer = { number, ...said, cpuSeconds: (user + system) / 1_000_000 };
  if (process.connected) process.send?.(answered);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
