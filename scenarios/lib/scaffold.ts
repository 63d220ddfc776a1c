/**
 * What every scenario has in common under k6: options, thresholds that fail when nothing was
 * judged, evidence on the console, and a summary of verdicts. One virtual user runs the whole
 * scenario, so that all its observations meet in one place.
 */

import { Counter, Gauge } from "k6/metrics";
import type { Options } from "k6/options";
import type { EvidenceRecord } from "../../contract/evidence.ts";
import { formatRecord } from "../../contract/evidence.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { Finding, Json, Verdict } from "../../contract/verdict.ts";
import { inconclusive } from "../../contract/verdict.ts";

/** -1 while a promise is registered and not judged yet; a threshold refuses that and 2 and 3. */
const VERDICT_CODES: Readonly<Record<Verdict, number>> = {
  kept: 0,
  unobserved: 1,
  inconclusive: 2,
  broken: 3,
};
const REGISTERED = -1;

const verdictGauge = new Gauge("plumbline_verdict");
const keptCounter = new Counter("plumbline_kept");

/** Connections that may idle to one host: a volley of a plan's burst must find them open. */
const IDLE_CONNECTIONS = 1_000;

/** k6 options of a scenario; each promise that it will judge has a threshold of its own. */
export function scenarioOptions(promises: readonly PromiseId[], maxSeconds: number): Options {
  const thresholds: Record<string, string[]> = { plumbline_kept: ["count>0"] };
  for (const id of promises) {
    thresholds[`plumbline_verdict{promise:${id}}`] = ["value>=0", "value<2"];
  }
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
    thresholds,
    batch: IDLE_CONNECTIONS,
    batchPerHost: IDLE_CONNECTIONS,
    noCookiesReset: true,
    // Not k6's own "scenario", which is "main" in all: the gate tags metrics with its own names.
    systemTags: ["error_code", "method", "name", "status"],
    userAgent: "plumbline",
  };
}

/** Writes evidence of one scenario; every method is one record. */
export interface Reporter {
  finding(finding: Finding): void;
  measurement(group: string, value: Json): void;
  note(text: string): void;
  progress(text: string): void;
  spent(jobs: number, credits: number, usd: number): void;
  variant(variant: "A" | "B"): void;
  settled(): void;
  ended(): void;
  /** True once a finding on that promise was written. */
  found(promise: PromiseId): boolean;
}

/** Registers what will be judged, before any load: what stays at that counts as not judged. */
export function register(scenario: string, promises: readonly PromiseId[]): void {
  keptCounter.add(0);
  for (const promise of promises) verdictGauge.add(REGISTERED, { promise });
  emit({ type: "registered", scenario, promises, atMs: Date.now() });
}

export function reporterOf(scenario: string, asked: readonly PromiseId[]): Reporter {
  const found = new Set<PromiseId>();
  return {
    found: (promise) => found.has(promise),
    finding(finding) {
      if (!asked.includes(finding.promise)) return;
      found.add(finding.promise);
      verdictGauge.add(VERDICT_CODES[finding.verdict], { promise: finding.promise });
      if (finding.verdict === "kept") keptCounter.add(1);
      emit({ type: "finding", scenario, finding });
    },
    measurement: (group, value) => emit({ type: "measurement", scenario, group, value }),
    note: (text) => emit({ type: "note", scenario, text }),
    progress: (text) => emit({ type: "progress", scenario, text }),
    spent: (jobs, credits, usd) => emit({ type: "spent", scenario, jobs, credits, usd }),
    variant: (variant) => emit({ type: "variant", scenario, variant }),
    settled: () => emit({ type: "settled", scenario }),
    ended: () => emit({ type: "ended", scenario, atMs: Date.now() }),
  };
}

/** Runs a scenario's body; what it throws makes every promise without a finding inconclusive. */
export async function guarded(
  reporter: Reporter,
  asked: readonly PromiseId[],
  body: () => Promise<void>,
): Promise<void> {
  try {
    await body();
  } catch (error) {
    const reason = `the scenario failed: ${error instanceof Error ? error.message : String(error)}`;
    for (const id of asked) {
      if (!reporter.found(id)) reporter.finding(inconclusive(id, reason));
    }
  }
}

function emit(record: EvidenceRecord): void {
  console.log(formatRecord(record));
}

interface SummaryData {
  metrics: Readonly<Record<string, { values: Readonly<Record<string, number>> } | undefined>>;
}

/** Text that k6 prints at the end: a line a promise, by what was judged and not by what failed. */
export function summaryText(promises: readonly PromiseId[], data: SummaryData): string {
  const lines = promises.map((id) => {
    const code = data.metrics[`plumbline_verdict{promise:${id}}`]?.values.value;
    return `  ${verdictName(code).padEnd(13)}${id}`;
  });
  return `${lines.join("\n")}\n`;
}

function verdictName(code: number | undefined): string {
  const verdicts = Object.keys(VERDICT_CODES) as Verdict[];
  return verdicts.find((verdict) => VERDICT_CODES[verdict] === code) ?? "not judged";
}
