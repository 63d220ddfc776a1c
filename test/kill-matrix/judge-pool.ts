/** Judges services side by side, each in a process of its own. */

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { RunResult } from "../../contract/run-result.ts";
import type { Answer } from "./judge-process.ts";
import type { Condition } from "./judge-service.ts";

const SCRIPT = path.join(import.meta.dirname, "judge-process.ts");

export interface Judged {
  /** null when the run could not be made. */
  result: RunResult | null;
  /** What went wrong then. */
  error: string | null;
  seconds: number;
}

/**
 * Takes the tasks in order, `jobs` at a time, and tells of each as soon as it is judged. With an
 * aborted signal the runs under way are stopped, and neither they nor the rest are told.
 */
export async function judgeSideBySide<Task>(
  tasks: readonly Task[],
  jobs: number,
  conditionOf: (task: Task) => Condition,
  onJudged: (task: Task, judged: Judged) => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = tasks.values();
  const lane = async () => {
    let judge: ChildProcess | null = null;
    for (const task of waiting) {
      if (signal.aborted) break;
      if (judge === null || !judge.connected) judge = startJudge(signal);
      const judged = await ask(judge, conditionOf(task));
      if (!signal.aborted) onJudged(task, judged);
    }
    if (judge?.connected) judge.disconnect();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, tasks.length) }, lane));
}

function startJudge(signal: AbortSignal): ChildProcess {
  const judge = fork(SCRIPT, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const stop = () => {
    if (judge.connected) judge.disconnect();
  };
  signal.addEventListener("abort", stop, { once: true });
  judge.once("exit", () => signal.removeEventListener("abort", stop));
  return judge;
}

async function ask(judge: ChildProcess, condition: Condition): Promise<Judged> {
  const startedMs = Date.now();
  judge.send(condition);
  const gone = new AbortController();
  const answer = await Promise.race([
    once(judge, "message", gone).then(([message]) => message as Answer),
    once(judge, "disconnect", gone).then((): Answer => ({ error: "the judging process ended" })),
  ]).finally(() => gone.abort());
  const seconds = (Date.now() - startedMs) / 1_000;
  if ("error" in answer) return { result: null, error: answer.error, seconds };
  return { result: answer.result, error: null, seconds };
}
