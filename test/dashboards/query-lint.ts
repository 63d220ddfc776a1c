/** What may be wrong with a query, on a board, in a rule or in a runbook. */

import type { Known } from "./known-metrics.ts";
import { KNOWN } from "./known-metrics.ts";
import type { Reading, Selector } from "./promql.ts";
import { readQuery } from "./promql.ts";

/** Labels that queries make themselves, and those of vectors made by hand. */
const FREE_LABELS = ["le"];

/** Functions in which a counter makes sense: all that see resets. */
const OF_COUNTERS = ["rate", "increase", "changes", "resets", "last_over_time", "count_over_time"];

/** Problems that a query has anywhere. */
export function lintQuery(query: string): string[] {
  const reading = readQuery(query);
  return [
    ...reading.errors.map((error) => `syntax ${error}`),
    ...reading.selectors.flatMap((selector) => lintSelector(query, selector)),
    ...lintGrouping(reading),
    ...lintQuantiles(query, reading),
  ];
}

function lintSelector(query: string, selector: Selector): string[] {
  const { metric, matchers } = selector;
  const known = KNOWN.get(metric);
  if (known === undefined) return [`${metric || "a selector without a name"} is in no list`];
  const foreign = matchers.filter((each) => !known.labels.includes(each.label));
  return [
    ...foreign
      .filter((each) => !leavesOut(known, each))
      .map(({ label }) => `${metric} has no label ${label}`),
    ...lintType(query, known, selector),
    ...matchers.filter(isHalfMatch).map(({ label }) => `${label}: a variable needs =~`),
  ];
}

/** Series without the label, which all but those of the legacy form are, match as well. */
function leavesOut({ legacyLabels = [] }: Known, matcher: Selector["matchers"][number]): boolean {
  const { label, operator, value } = matcher;
  return legacyLabels.includes(label) && operator === "!=" && value !== "";
}

/** Variables may hold several values. */
function isHalfMatch({ operator, value }: Selector["matchers"][number]): boolean {
  return value.includes("$") && operator !== "=~" && operator !== "!~";
}

function lintType(query: string, { type }: Known, selector: Selector): string[] {
  const { metric, within, range } = selector;
  const [innermost = ""] = within;
  if (type === "gauge") {
    const wrong = innermost === "rate" || innermost === "increase";
    return wrong ? [`${metric} is a gauge under ${innermost}`] : [];
  }
  if (range === null) return [`${metric} counts, and is not under a rate`];
  if (innermost === "min_over_time" && isSubtracted(query, metric)) return [];
  return OF_COUNTERS.includes(innermost) ? [] : [`${metric} counts, and is under ${innermost}`];
}

/** A counter's least value is of use only where the last is counted from it. */
function isSubtracted(query: string, metric: string): boolean {
  const parts = /last_over_time(\((\w+)[^)]*\)) - min_over_time(\([^)]*\))/g;
  return [...query.matchAll(parts)].some(([, last, name, least]) => {
    return name === metric && last === least;
  });
}

/** A label that nothing in the query has groups by nothing. */
function lintGrouping({ labels, selectors }: Reading): string[] {
  const known = selectors.flatMap(({ metric }) => KNOWN.get(metric)?.labels ?? []);
  return labels
    .filter((label) => !known.includes(label) && !FREE_LABELS.includes(label))
    .map((label) => `nothing has the label ${label}`);
}

function lintQuantiles(query: string, { labels, selectors }: Reading): string[] {
  if (!query.includes("histogram_quantile(")) return [];
  const ofBuckets = selectors.every(({ metric }) => metric.endsWith("_bucket"));
  return [
    ...(labels.includes("le") ? [] : ["a quantile needs le"]),
    ...(ofBuckets || /\bor\b/.test(query) ? [] : ["a quantile is of buckets"]),
  ];
}

/** Ranges of a board: Grafana's own, or whole hours that the title names. */
const RANGES = ["$__rate_interval", "$__range", "1h"];

/** Problems that a query of a board may have beside those. */
export function lintBoardQuery(query: string): string[] {
  const { selectors } = readQuery(query);
  return selectors.flatMap((selector) => {
    const { metric, range } = selector;
    const origin = KNOWN.get(metric)?.origin;
    const needed = origin === undefined ? [] : matchersNeeded(metric, origin);
    const missing = needed.filter((label) => !hasVariable(selector, label));
    return [
      ...missing.map((label) => `${metric} is not narrowed by $${label}`),
      ...(range === null || RANGES.includes(range) ? [] : [`${metric}[${range}]`]),
    ];
  });
}

function matchersNeeded(metric: string, origin: Known["origin"]): readonly string[] {
  if (origin === "k6") return ["run", "scenario"];
  if (metric === "ALERTS") return [];
  if (origin === "recorded") return ["job", "service", "environment", "location"];
  if (origin === "prometheus") return ["job", "instance", "environment"];
  return ["job", "instance", "service", "environment", "location"];
}

function hasVariable({ matchers }: Selector, label: string): boolean {
  return matchers.some((each) => {
    return each.label === label && /^\$\w+$/.test(each.value) && each.operator === "=~";
  });
}
