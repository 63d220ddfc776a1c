/** The boards and rules in the forms in which people bring them to a Grafana of their own. */

import { parse, stringify } from "yaml";
import { generatedFiles } from "./generated-files.ts";
import type { RuleOptions } from "./rules/options.ts";

/** By path within the folder to write: plain files, for import by hand, for Kubernetes. */
export function exportedFiles(options: RuleOptions): ReadonlyMap<string, string> {
  const generated = [...generatedFiles(options)];
  const boards = generated.filter(([name]) => name.endsWith(".json"));
  const rules = generated.find(([name]) => name === "plumbline-rules.yaml")?.[1] ?? "";
  return new Map([
    ...generated.map(([name, text]) => [`files/${name}`, text] as const),
    ...boards.map(([name, text]) => [`import/${name}`, importable(text)] as const),
    ["kubernetes/dashboards.yaml", boards.map(configMap).join("---\n")],
    ["kubernetes/prometheus-rule.yaml", prometheusRule(rules)],
  ]);
}

const INPUT = "DS_PROMETHEUS";

/** Grafana asks for the data source when it imports a board with inputs. */
function importable(text: string): string {
  const board = JSON.parse(text) as {
    templating: { list: { name: string; current?: unknown }[] };
  };
  const chosen = { text: `\${${INPUT}}`, value: `\${${INPUT}}`, selected: true };
  const list = board.templating.list.map((variable) =>
    variable.name === "datasource" ? { ...variable, current: chosen } : variable,
  );
  const whole = {
    __inputs: [
      {
        name: INPUT,
        label: "Prometheus",
        description: "The Prometheus that scrapes the probes",
        type: "datasource",
        pluginId: "prometheus",
        pluginName: "Prometheus",
      },
    ],
    __requires: [
      { type: "grafana", id: "grafana", name: "Grafana", version: "10.0.0" },
      { type: "datasource", id: "prometheus", name: "Prometheus", version: "1.0.0" },
    ],
    ...board,
    templating: { list },
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** One a board: kubectl keeps a copy of what it applies, which may have 256 KiB. */
function configMap([name, text]: readonly [string, string]): string {
  return stringify(
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: name.replace(/\.json$/, ""),
        // The label that the Grafana chart's sidecar looks for unless told otherwise.
        labels: { grafana_dashboard: "1" },
      },
      data: { [name]: JSON.stringify(JSON.parse(text)) },
    },
    { lineWidth: 0 },
  );
}

/** For the Prometheus operator. */
function prometheusRule(rules: string): string {
  const { groups } = parse(rules) as { groups: unknown };
  return stringify(
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: "plumbline" },
      spec: { groups },
    },
    { lineWidth: 0 },
  );
}
