/**
 * A scenario as a test of k6: options, thresholds that fail when nothing was judged, and a summary
 * of verdicts. One virtual user runs all of it, so that all its observations meet in one place.
 */

import type { Options } from "k6/options";
import type { PromiseId } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { askedPromises } from "../client/plan.ts";
import { k6World, VERDICT_CODES } from "./k6.ts";
import { loadPlan } from "./k6-plan.ts";
import type { Scenario } from "./scenario.ts";
import { runScenario } from "./scenario.ts";

/** Connections that may idle to one host: a volley of a plan's burst must find them open. */
const IDLE_CONNECTIONS = 1_000;

/** What a file that k6 is given exports; `run` as its default. Only in the init context. */
export interface K6Test {
  options: Options;
  /** Before all virtual users. */
  setup?(): void;
  run(): Promise<void>;
  handleSummary(data: SummaryData): { stdout: string };
}

export function k6Scenario(scenario: Scenario, plan: RunPlan = loadPlan()): K6Test {
  const asked = askedPromises(plan, scenario.promises);
  return {
    options: {
      ...scenarioOptions(Math.ceil(scenario.secondsMax(plan))),
      thresholds: scenario.promises.length === 0 ? {} : thresholdsOf(asked),
    },
    run: () => runScenario(scenario, k6World, plan),
    handleSummary: (data) => ({ stdout: summaryText(asked, data) }),
  };
}

function scenarioOptions(maxSeconds: number): Options {
  return {
    scenarios: {
      main: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        maxDuration: `${maxSeconds}s`,
        gracefulStop: "0s",
      },
    },
    batch: IDLE_CONNECTIONS,
    batchPerHost: IDLE_CONNECTIONS,
    noCookiesReset: true,
    // Not k6's own "scenario", which is "main" in all: the gate tags metrics with its own names.
    systemTags: ["error_code", "method", "name", "status"],
    userAgent: "plumbline",
  };
}

/** Each promise that will be judged has a threshold of its own. */
function thresholdsOf(promises: readonly PromiseId[]): Record<string, string[]> {
  const thresholds: Record<string, string[]> = { plumbline_kept: ["count>0"] };
  for (const id of promises) {
    thresholds[`plumbline_verdict{promise:${id}}`] = ["value>=0", "value<2"];
  }
  return thresholds;
}

export interface SummaryData {
  state: { testRunDurationMs: number };
  metrics: Readonly<Record<string, { values: Readonly<Record<string, number>> } | undefined>>;
}

/** Text that k6 prints at the end: a line a promise, by what was judged and not by what failed. */
function summaryText(promises: readonly PromiseId[], data: SummaryData): string {
  const lines = promises.map((id) => {
    const code = data.metrics[`plumbline_verdict{promise:${id}}`]?.values.value;
    return `  ${verdictName(code).padEnd(13)}${id}\n`;
  });
  return lines.join("");
}

function verdictName(code: number | undefined): string {
  const verdicts = Object.keys(VERDICT_CODES) as Verdict[];
  return verdicts.find((verdict) => VERDICT_CODES[verdict] === code) ?? "not judged";
}
