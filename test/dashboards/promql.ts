/** What a query reads: its selectors, and what is done to them. */

import { parser } from "@prometheus-io/lezer-promql";

interface Matcher {
  label: string;
  operator: string;
  value: string;
}

export interface Selector {
  /** "" where a query names none. */
  metric: string;
  matchers: readonly Matcher[];
  /** The range as it stands in the query; null for an instant. */
  range: string | null;
  /** Functions and aggregations around it, the innermost first. */
  within: readonly string[];
}

export interface Reading {
  /** Where the syntax is wrong; empty where it is right. */
  errors: readonly string[];
  selectors: readonly Selector[];
  /** Labels by which it is grouped or matched. */
  labels: readonly string[];
}

/** Grafana's own durations, and one of Prometheus' that stands for each while it is parsed. */
const DURATIONS = { $__rate_interval: "301s", $__range: "302s", $__interval: "303s" } as const;

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

export function readQuery(query: string): Reading {
  let text = query;
  for (const [name, stand] of Object.entries(DURATIONS)) text = text.replaceAll(name, stand);
  const errors: string[] = [];
  const selectors: Selector[] = [];
  const labels: string[] = [];
  parser.parse(text).iterate({
    enter: ({ node }) => {
      const part = text.slice(node.from, node.to);
      if (node.type.isError)
        errors.push(`at ${node.from}: ${text.slice(node.from, node.from + 20)}`);
      if (node.name === "VectorSelector") selectors.push(selectorOf(node, text));
      if (node.name === "LabelName" && node.parent?.name === "GroupingLabels") labels.push(part);
    },
  });
  return { errors, selectors, labels };
}

function selectorOf(node: SyntaxNode, text: string): Selector {
  const identifier = node.getChild("Identifier");
  const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
  return {
    metric: identifier === null ? "" : text.slice(identifier.from, identifier.to),
    matchers: matchers.map((matcher) => matcherOf(matcher, text)),
    range: rangeOf(node, text),
    within: around(node, text),
  };
}

function matcherOf(node: SyntaxNode, text: string): Matcher {
  const part = (name: string) => {
    const child = node.getChild(name);
    return child === null ? "" : text.slice(child.from, child.to);
  };
  return {
    label: part("LabelName"),
    operator: part("MatchOp"),
    value: part("StringLiteral").slice(1, -1),
  };
}

function rangeOf({ parent, to }: SyntaxNode, text: string): string | null {
  if (parent?.name !== "MatrixSelector" && parent?.name !== "SubqueryExpr") return null;
  const range = text.slice(to, parent.to).replace(/^\[|\]$/g, "");
  const known = Object.entries(DURATIONS).find(([, stand]) => stand === range);
  return known?.[0] ?? range;
}

function around(node: SyntaxNode, text: string): string[] {
  const names: string[] = [];
  for (let each = node.parent; each !== null; each = each.parent) {
    const name = each.getChild("FunctionIdentifier") ?? each.getChild("AggregateOp");
    if (name !== null) names.push(text.slice(name.from, name.to));
  }
  return names;
}
