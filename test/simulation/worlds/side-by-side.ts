/** Judges many simulated runs in a few processes: one at a time in each, as each fills a core. */

import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import path from "node:path";
import { LAZY_COLLECTOR } from "../../../tools/lazy-collector.ts";
import type { WorldRecord, WorldRun } from "./run.ts";

const SCRIPT = path.join(import.meta.dirname, "world-process.ts");

interface Answer {
  record: WorldRecord | null;
  error: string | null;
}

/** Tells of each run as soon as it is judged; rejects when one can't be made. */
export async function judgeWorlds(
  runs: readonly WorldRun[],
  jobs: number,
  onJudged: (record: WorldRecord) => void,
): Promise<void> {
  const waiting = [...runs];
  const children = Array.from({ length: Math.min(jobs, runs.length) }, () =>
    fork(SCRIPT, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [...LAZY_COLLECTOR] }),
  );
  try {
    await Promise.all(
      children.map(async (child) => {
        for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
          onJudged(await ask(child, run));
        }
      }),
    );
  } finally {
    for (const child of children) child.kill();
  }
}

function ask(child: ChildProcess, run: WorldRun): Promise<WorldRecord> {
  return new Promise((resolve, reject) => {
    const name = `${run.world}, ${run.profile}, seed ${run.seed}`;
    const lost = () => reject(new Error(`${name}: the judging process ended`));
    child.once("exit", lost);
    child.once("message", ({ record, error }: Answer) => {
      child.off("exit", lost);
      if (record === null) reject(new Error(`${name}: ${error}`));
      else resolve(record);
    });
    child.send(run);
  });
}
