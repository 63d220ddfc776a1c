/** Judges services side by side, in a few processes that share them out. */

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import path from "node:path";
import { LAZY_COLLECTOR } from "../../tools/lazy-collector.ts";
import { turns } from "../turns.ts";
import type { Condition, Means } from "./condition.ts";
import type { Answer, Question } from "./judge-process.ts";

const SCRIPT = path.join(import.meta.dirname, "judge-process.ts");

export type Judged = Omit<Answer, "number"> & { seconds: number };

export interface Judges {
  /** Resolves also when the run could not be made; the error is in what was judged. */
  judge(condition: Condition): Promise<Judged>;
  /** Stops what is under way. */
  close(): void;
}

/**
 * `jobs` services at most at a time; the others wait for their turn. In the simulation by one
 * process a core; with real k6 each by a process of its own, as a gate has one: what waits for
 * several turns of a loop that others share is later than any lag that is measured.
 */
export function openJudges(means: Means, jobs: number): Judges {
  const count = means === "real" ? jobs : availableParallelism();
  const processes = Array.from({ length: count }, () => new JudgeProcess(means));
  const inTurn = turns(jobs);
  const ask = async (condition: Condition): Promise<Judged> => {
    const startedMs = Date.now();
    const idlest = processes.reduce((a, b) => (b.busy < a.busy ? b : a));
    const { result, error, cpuSeconds } = await idlest.ask(condition);
    return { result, error, cpuSeconds, seconds: (Date.now() - startedMs) / 1_000 };
  };
  return {
    judge: (condition) => inTurn(() => ask(condition)),
    close() {
      for (const each of processes) each.close();
    },
  };
}

class JudgeProcess {
  private readonly means: Means;
  private child: ChildProcess | null = null;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private asked = 0;
  private closed = false;

  constructor(means: Means) {
    this.means = means;
  }

  get busy(): number {
    return this.waiting.size;
  }

  ask(condition: Condition): Promise<Answer> {
    if (this.closed) return Promise.resolve(failed(-1, "closed"));
    const child = this.child ?? this.start();
    const question: Question = { number: this.asked, condition };
    this.asked += 1;
    return new Promise((resolve) => {
      this.waiting.set(question.number, resolve);
      child.send(question);
    });
  }

  close(): void {
    this.closed = true;
    if (this.child?.connected) this.child.disconnect();
  }

  private start(): ChildProcess {
    const stdio = ["ignore", "ignore", "inherit", "ipc"] as const;
    const child = fork(SCRIPT, [this.means], { stdio: [...stdio], execArgv: [...LAZY_COLLECTOR] });
    child.on("message", (answer: Answer) => this.settle(answer));
    child.once("disconnect", () => this.lose());
    this.child = child;
    return child;
  }

  private settle(answer: Answer): void {
    this.waiting.get(answer.number)?.(answer);
    this.waiting.delete(answer.number);
  }

  private lose(): void {
    this.child = null;
    for (const number of [...this.waiting.keys()]) {
      this.settle(failed(number, "the judging process ended"));
    }
  }
}

function failed(number: number, error: string): Answer {
  return { number, result: null, error, cpuSeconds: 0 };
}

/**
 * Judges all tasks, in their order, and tells of each as soon as it is judged. With an aborted
 * signal the runs under way are stopped, and neither they nor the rest are told.
 */
export async function judgeSideBySide<Task>(
  means: Means,
  tasks: readonly Task[],
  jobs: number,
  conditionOf: (task: Task) => Condition,
  onJudged: (task: Task, judged: Judged) => void,
  signal: AbortSignal,
): Promise<void> {
  const judges = openJudges(means, jobs);
  const judgeOne = async (task: Task): Promise<void> => {
    const judged = await judges.judge(conditionOf(task));
    if (!signal.aborted) onJudged(task, judged);
  };
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([aborted, Promise.all(tasks.map(judgeOne))]);
  judges.close();
}
