/** Sorts judged promises the way every rendering shows them. */

import type { Verdict } from "../contract/verdict.ts";
import type { JudgedPromise, Observation, Report } from "./model.ts";

/** A sign for each, so that none is told by its colour alone. */
export const MARKS: Readonly<Record<Verdict, string>> = {
  kept: "✓",
  broken: "✗",
  inconclusive: "?",
  unobserved: "–",
};

export function withVerdict(report: Report, verdict: Verdict): JudgedPromise[] {
  return report.promises.filter((promise) => promise.verdict === verdict);
}

/** Promises by group, groups in the order of the catalogue. */
export function byGroup<Entry extends { id: string }>(promises: readonly Entry[]) {
  return Map.groupBy(promises, ({ id }) => id.split(".")[0] ?? id);
}

/** Promises that the run was not asked about: `--only` named others. */
export function notAskedFor({ only, promises }: Report): number {
  return only === null ? 0 : promises.filter(({ id }) => !only.includes(id)).length;
}

/** Unobserved promises that the run was asked about. */
export function missed(report: Report): JudgedPromise[] {
  const unobserved = withVerdict(report, "unobserved");
  return unobserved.filter(({ id }) => report.only === null || report.only.includes(id));
}

/** Promises by the reason why nothing can be said of them: equal reasons are told once. */
export function byReason(promises: readonly JudgedPromise[]): Map<string, JudgedPromise[]> {
  return Map.groupBy(promises, (promise) => promise.reason ?? promise.summary);
}

/** Their ids; a group of which all are among them is told as `rate.* (11)`. */
export function shortList(promises: readonly { id: string }[], all: readonly { id: string }[]) {
  const sizes = byGroup(all);
  return [...byGroup(promises)]
    .map(([group, members]) => {
      const isWhole = members.length > 1 && members.length === sizes.get(group)?.length;
      return isWhole ? `${group}.* (${members.length})` : members.map(({ id }) => id).join(", ");
    })
    .join(", ");
}

/** "79 promises: 53 kept, 1 broken, 0 inconclusive, 25 unobserved — FAIL (99)". */
export function summaryLine(report: Report): string {
  const { kept, broken, inconclusive, unobserved } = report.counts;
  const counts = `${kept} kept, ${broken} broken, ${inconclusive} inconclusive`;
  return (
    `${report.promises.length} promises: ${counts}, ${unobserved} unobserved` +
    ` — ${verdictWord(report)} (${report.exitCode})`
  );
}

export function verdictWord(report: Report): string {
  if (report.partial) return "INTERRUPTED";
  return { pass: "PASS", fail: "FAIL", none: "NO VERDICT" }[report.verdict];
}

/** How long the run took. */
export function tookMs({ startedAt, finishedAt }: Pick<Report, "startedAt" | "finishedAt">) {
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

/** What was sent and what came with the answer, as lines: a body, headers, a body. */
export function contentLines({ requestBody, headers = {}, body, ...told }: Observation): string[] {
  return [
    ...(requestBody === undefined ? [] : [`> ${requestBody}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || body === "" ? [] : [body]),
    ...traceLines(told),
  ];
}

/** Where the service's own trace of an exchange is, if anywhere. */
export function traceLines({ traceId, traceUrl }: Pick<Observation, "traceId" | "traceUrl">) {
  return traceId === undefined ? [] : [`trace: ${traceUrl ?? traceId}`];
}
