/** Makes the report out of what a run left: pure, complete, and free of secrets. */

import { PROMISES } from "../contract/promises.ts";
import { traceLink } from "../contract/requests/trace.ts";
import type { RunResult } from "../contract/run/run-result.ts";
import type { Strength } from "../contract/strength.ts";
import { faultShareBelow } from "../contract/strength.ts";
import type { Finding, Quote } from "../contract/verdict.ts";
import { unobserved } from "../contract/verdict.ts";
import type { JudgedPromise, Observation, Report, ReportedStrength } from "./model.ts";
import { REPORT_SCHEMA_VERSION } from "./model.ts";
import { redactDeep } from "./redact-deep.ts";
import { countOf, runVerdict } from "./verdict.ts";

export interface ReportOptions {
  /** With it a promise that nobody could look at withholds the verdict. */
  strict?: boolean;
  /** What the caller named the run by. */
  labels?: Readonly<Record<string, string>>;
  /** Where the service shows traces, with `{traceId}` in it; left out: nowhere. */
  traceUrl?: string | null;
  /** Blanks the run's secrets in a text; see contract/text/redact.ts. */
  redact?: (text: string) => string;
}

/** A promise that the result leaves out is reported as unobserved, so that none is forgotten. */
export function buildReport(result: RunResult, options: ReportOptions = {}): Report {
  const strict = options.strict ?? false;
  const findings = completed(result.findings);
  const outcome = runVerdict({ ...result, findings, strict, variant: result.target.variant });
  const report: Report = {
    schemaVersion: REPORT_SCHEMA_VERSION,
    verdict: outcome.verdict,
    verdictReason: outcome.reason,
    exitCode: outcome.exitCode,
    partial: result.interrupted,
    strict,
    only: result.only === null ? null : [...result.only],
    profile: result.profile,
    seed: result.seed,
    startedAt: new Date(result.startedAtMs).toISOString(),
    finishedAt: new Date(result.finishedAtMs).toISOString(),
    labels: { ...options.labels },
    tool: result.tool,
    target: result.target,
    counts: {
      kept: countOf(findings, "kept"),
      broken: countOf(findings, "broken"),
      inconclusive: countOf(findings, "inconclusive"),
      unobserved: countOf(findings, "unobserved"),
    },
    promises: findings.map((finding) => judgedPromise(finding, options.traceUrl ?? null)),
    measurements: Object.fromEntries(
      Object.entries(result.measurements).map(([group, values]) => [group, [...values]]),
    ),
    series: structuredClone(result.series) as Report["series"],
    notes: [...result.notes],
    budget: result.budget,
  };
  return options.redact === undefined ? report : redactDeep(report, options.redact);
}

function completed(findings: readonly Finding[]): Finding[] {
  const byId = new Map(findings.map((finding) => [finding.promise, finding]));
  return PROMISES.map(({ id }) => byId.get(id) ?? unobserved(id, "the run said nothing about it"));
}

function judgedPromise(finding: Finding, traceUrl: string | null): JudgedPromise {
  const entry = PROMISES.find((each) => each.id === finding.promise);
  return {
    id: finding.promise,
    section: entry?.section ?? "",
    title: entry?.title ?? "",
    verdict: finding.verdict,
    summary: finding.summary,
    evidence: { ...finding.evidence },
    observations: finding.observations.map((each) => linked(each, traceUrl)),
    reason: finding.reason,
    ...(finding.explainedBy === undefined ? {} : { explainedBy: [...finding.explainedBy] }),
    ...(finding.keys === undefined ? {} : { keys: [...finding.keys] }),
    strength: finding.strength === undefined ? null : reportedStrength(finding.strength),
  };
}

function linked(quote: Quote, template: string | null): Observation {
  if (quote.traceId === undefined || template === null) return { ...quote };
  return { ...quote, traceUrl: traceLink(template, quote.traceId) };
}

export function reportedStrength({ looks, measured, notTried }: Strength): ReportedStrength {
  return {
    looks: looks.map((each) => ({ ...each, faultShareBelow: faultShareBelow(each.count) })),
    measured: [...measured],
    notTried: [...notTried],
  };
}
