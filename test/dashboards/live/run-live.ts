/** The whole live test: cases, a load run, and the boards while all of it goes on. */

import { setTimeout as pause } from "node:timers/promises";
import type { CaseResult } from "./case-result.ts";
import { faultsOf } from "./case-result.ts";
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
  /** What is not as it should be, in sentences; none where all is. */
  wrong: readonly string[];
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
  const wrong: string[] = [];
  const lookAtBoards = async () => {
    await pause(PANELS_AFTER_MS);
    wrong.push(...(await faultyPanels(prometheus, startedMs)));
    tell(`boards: ${wrong.length === 0 ? "every panel has its data" : wrong.join("\n")}`);
  };
  try {
    // Before all others, as it keeps the machine busy.
    const load = withBoards ? await sendLoadRun(prometheus.baseUrl, `${folder}/report`) : null;
    if (load !== null) wrong.push(load);
    const meanwhile = withBoards ? lookAtBoards : async () => {};
    const results = await runCases(cases, { prometheus, folder, tell }, meanwhile);
    const missed = results.flatMap((each) => {
      return faultsOf(each).map((fault) => `${each.case.id}: ${fault}`);
    });
    const seconds = Math.round((Date.now() - startedMs) / 1_000);
    return { results, wrong: [...wrong, ...missed], seconds };
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
