/**
 * A scenario as a test of k6: options, thresholds that fail when nothing was judged, and a summary
 * of verdicts. One virtual user runs all of it, or one for each shard of a load. Each of these
 * judges its own part; whoever reads the records of all judges the whole.
 */

import type { Options } from "k6/options";
import type { PromiseId } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { shardsOf } from "../../contract/run/shards.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { askedPromises } from "../client/plan.ts";
import { shardWorld, VERDICT_CODES } from "./k6.ts";
import { CLIENT_OPTIONS } from "./k6-options.ts";
import { loadPlan } from "./k6-plan.ts";
import type { SummaryData } from "./k6-summary.ts";
import { requestLines, requestThresholds } from "./k6-summary.ts";
import type { Scenario } from "./scenario.ts";
import { runScenario } from "./scenario.ts";

/** Connections that may idle to one host: a burst as large as a plan allows must find them open. */
const IDLE_CONNECTIONS = 1_000;

/**
 * Ours: to record and judge what was watched takes two seconds at the end; on a machine that has a
 * tenth of a core left, ten times that.
 */
const GRACEFUL_STOP = "30s";

/** What a file that k6 is given exports; `run` as its default. Only in the init context. */
export interface K6Test {
  options: Options;
  /** Before all virtual users. */
  setup?(): void | Promise<void>;
  run(): Promise<void>;
  handleSummary(data: SummaryData): { stdout: string };
}

export function k6Scenario(scenario: Scenario, plan: RunPlan = loadPlan()): K6Test {
  const isJudgedHere = !plan.isJudgedByReader && scenario.promises.length > 0;
  const asked = isJudgedHere ? askedPromises(plan, scenario.promises) : [];
  const shards = shardsOf(scenario.name, plan);
  return {
    options: {
      ...scenarioOptions(Math.ceil(scenario.secondsMax(plan)), shards),
      thresholds: isJudgedHere ? thresholdsOf(asked, shards) : requestThresholds(),
    },
    run: () => runScenario(scenario, shardWorld(shards), plan),
    handleSummary: (data) => ({ stdout: summaryText(asked, shards, data) }),
  };
}

function scenarioOptions(maxSeconds: number, shards: number): Options {
  return {
    ...CLIENT_OPTIONS,
    scenarios: {
      main: {
        executor: "per-vu-iterations",
        vus: shards,
        iterations: 1,
        maxDuration: `${maxSeconds}s`,
        gracefulStop: GRACEFUL_STOP,
      },
    },
    batch: IDLE_CONNECTIONS,
    batchPerHost: IDLE_CONNECTIONS,
    // Not k6's own "scenario", which is "main" in all: the gate tags metrics with its own names.
    systemTags: ["error_code", "method", "name", "status"],
  };
}

/** Each promise that each shard will judge has a threshold of its own. */
function thresholdsOf(promises: readonly PromiseId[], shards: number): Record<string, string[]> {
  const thresholds: Record<string, string[]> = {
    plumbline_kept: ["count>0"],
    ...requestThresholds(),
  };
  for (const gauge of promises.flatMap((id) => gaugesOf(id, shards))) {
    thresholds[gauge] = ["value>=0", "value<2"];
  }
  return thresholds;
}

/** The last value of a gauge counts, so that two shards may not share one. */
function gaugesOf(promise: PromiseId, shards: number): readonly string[] {
  return Array.from(
    { length: shards },
    (_, shard) => `plumbline_verdict{promise:${promise},shard:${shard}}`,
  );
}

/** What k6 prints at the end: a line a promise, by what was judged, and what was sent for it. */
function summaryText(promises: readonly PromiseId[], shards: number, data: SummaryData): string {
  const lines = promises.map((id) => {
    const codes = gaugesOf(id, shards).flatMap((gauge) => data.metrics[gauge]?.values.value ?? []);
    return `  ${verdictName(codes).padEnd(13)}${id}\n`;
  });
  return `${lines.join("")}\n${requestLines(data).join("\n")}\n`;
}

/** The worst of those of the shards that this process ran. */
function verdictName(codes: readonly number[]): string {
  const worst = Math.max(...codes);
  const code = worst < VERDICT_CODES.broken && codes.some((each) => each < 0) ? -1 : worst;
  const verdicts = Object.keys(VERDICT_CODES) as Verdict[];
  return verdicts.find((verdict) => VERDICT_CODES[verdict] === code) ?? "not judged";
}
