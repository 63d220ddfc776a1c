/** A run's result in which everything is kept, and ways to differ from it. */

import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { NO_SERIES } from "../../contract/run/series.ts";
import type { Finding } from "../../contract/verdict.ts";
import { kept } from "../../contract/verdict.ts";

export function healthyResult(difference: Partial<RunResult> = {}): RunResult {
  const nothing = { jobs: 0, credits: 0, usd: 0 };
  return {
    profile: "quick",
    seed: 42,
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    finishedAtMs: Date.UTC(2026, 0, 2, 3, 5, 5),
    interrupted: false,
    tool: { plumbline: "0.1.0", k6: "2.2.0", node: "24.0.0" },
    target: { baseUrl: "http://127.0.0.1:8080", timeScale: 1, embedded: false, variant: "B" },
    findings: PROMISE_IDS.map((id) => kept(id, `looked at ${id}`)),
    only: null,
    measurements: {},
    series: NO_SERIES,
    notes: [],
    budget: { ceiling: null, planned: nothing, spent: nothing },
    ...difference,
  };
}

/** The healthy findings with some of them replaced. */
export function findingsWith(...replaced: readonly Finding[]): Finding[] {
  const byId = new Map<PromiseId, Finding>(replaced.map((each) => [each.promise, each]));
  return healthyResult().findings.map((finding) => byId.get(finding.promise) ?? finding);
}

export const BROKEN_WAIT: Finding = {
  promise: "webhook.wait-2",
  verdict: "broken",
  summary: "waited 10.0 s, promised 30 s",
  evidence: { expectedMs: 30_000, measuredMs: [10_012, 10_009], samples: 2 },
  observations: [
    {
      request: "GET /v1/me",
      requestBody: '{"a":1}',
      answer: "429",
      body: '{"error":"slow <down> & wait"}',
      headers: { "retry-after": "1", age: "12", "x-request-id": "req-7" },
      sentAtMs: 1_700_000_000_000,
      tookMs: 3.25,
      key: "free-a",
    },
  ],
  reason: null,
};
