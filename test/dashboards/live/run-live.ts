/** The whole live test: cases, a load run, and the boards while all of it goes on. */

import { setTimeout as pause } from "node:timers/promises";
import type { CaseResult } from "./case-result.ts";
import type { FaultCase } from "./fault-case.ts";
import { sendLoadRun } from "./load-run.ts";
import { LIVE_RULES, passing } from "./pace.ts";
import { faultyPanels } from "./panels.ts";
import { startPrometheus } from "./prometheus.ts";
import { environmentsOf, runCases } from "./run-cases.ts";

/** Ours: by then there is of everything: late jobs, missing webhooks, refusals, restarts. */
const PANELS_AFTER_MS = passing(25 * 60);

export interface LiveResult {
  results: readonly CaseResult[];
  /** What is not as it should be with boards and load run, in sentences; none where all is. */
  wrongBoards: readonly string[];
  seconds: number;
}

/** `withBoards`: only all cases together bring data to all panels. */
export async function runLive(
  cases: readonly FaultCase[],
  { folder, withBoards, tell }: LiveOptions,
): Promise<LiveResult> {
  const prometheus = await startPrometheus(folder, LIVE_RULES, environmentsOf(cases));
  tell(`Prometheus: ${prometheus.baseUrl}`);
  const startedMs = Date.now();
  const wrongBoards: string[] = [];
  const lookAtBoards = async () => {
    await pause(PANELS_AFTER_MS);
    wrongBoards.push(...(await faultyPanels(prometheus, startedMs)));
    const isRight = wrongBoards.length === 0;
    tell(`boards: ${isRight ? "every panel has its data" : wrongBoards.join("\n")}`);
  };
  try {
    // Before all others, as it keeps the machine busy.
    const load = withBoards ? await sendLoadRun(prometheus.baseUrl, `${folder}/report`) : null;
    if (load !== null) wrongBoards.push(load);
    const meanwhile = withBoards ? lookAtBoards : async () => {};
    const results = await runCases(cases, { prometheus, folder, tell }, meanwhile);
    const seconds = Math.round((Date.now() - startedMs) / 1_000);
    return { results, wrongBoards, seconds };
  } finally {
    await prometheus.close();
  }
}

export interface LiveOptions {
  /** For data, journals and the report; the caller's to remove. */
  folder: string;
  withBoards: boolean;
  tell(line: string): void;
}
