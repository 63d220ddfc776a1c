/**
 * Writes the files that follow from the code: the JSON Schemas, the lists in docs/, dashboards and
 * alert rules; with --check only says which are not current. Run: npm run generate
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { baselineSchema } from "../capacity/baseline/model.ts";
import { comparisonSchema, savedBlocksSchema } from "../capacity/compare/model.ts";
import { targetFileSchema } from "../cli/target-file/schema.ts";
import { exportedFiles } from "../dashboards/export.ts";
import { generatedFiles } from "../dashboards/generated-files.ts";
import { DEFAULT_RULE_OPTIONS } from "../dashboards/rules/options.ts";
import { capacitySchema } from "../report/capacity-model.ts";
import { jsonSchemaText } from "../report/json-schema.ts";
import { reportSchema } from "../report/model.ts";
import { ROOT } from "../runner/package-root.ts";
import { alertsPage } from "./generated/alerts-page.ts";
import { faultsPage } from "./generated/faults-page.ts";
import { promisesPage } from "./generated/promises-page.ts";
import { robustnessPage } from "./generated/robustness-page.ts";

const DASHBOARDS = [...generatedFiles(DEFAULT_RULE_OPTIONS)].map(
  ([name, text]) => [`dashboards/generated/${name}`, () => text] as const,
);

/** What kustomize brings into a cluster, by the folder that lists it. */
const MANIFESTS = {
  "grafana/dashboards.yaml": "kubernetes/dashboards.yaml",
  "prometheus-operator/prometheus-rule.yaml": "kubernetes/prometheus-rule.yaml",
};

const exported = exportedFiles(DEFAULT_RULE_OPTIONS);
const KUBERNETES = Object.entries(MANIFESTS).map(
  ([file, name]) => [`deploy/kubernetes/${file}`, () => exported.get(name) ?? ""] as const,
);

const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  ...Object.fromEntries([...DASHBOARDS, ...KUBERNETES]),
  "schemas/report.schema.json": () => jsonSchemaText("Plumbline report", reportSchema),
  "schemas/baseline.schema.json": () => jsonSchemaText("Plumbline baseline", baselineSchema),
  "schemas/comparison.schema.json": () => jsonSchemaText("Plumbline comparison", comparisonSchema),
  "schemas/comparison-blocks.schema.json": () =>
    jsonSchemaText("Plumbline blocks of load", savedBlocksSchema),
  "schemas/capacity.schema.json": () => jsonSchemaText("Plumbline capacity", capacitySchema),
  // Editors know the older draft better.
  "schemas/target.schema.json": () =>
    jsonSchemaText("Plumbline target file", targetFileSchema, { target: "draft-7", io: "input" }),
  "docs/promises.md": promisesPage,
  "docs/faults.md": faultsPage,
  "docs/robustness.md": robustnessPage,
  "docs/alerts.md": () => alertsPage(DEFAULT_RULE_OPTIONS),
};

for (const [name, make] of Object.entries(GENERATED)) {
  const file = path.join(ROOT, name);
  const [written, text] = [await readFile(file, "utf8").catch(() => ""), await make()];
  if (written === text) continue;
  if (process.argv.includes("--check")) {
    process.stderr.write(`${name} is not current; run npm run generate\n`);
    process.exitCode = 1;
  } else {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    process.stderr.write(`wrote ${name}\n`);
  }
}
