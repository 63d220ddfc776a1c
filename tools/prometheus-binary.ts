/** Prometheus itself, which evaluates the alert rules in the live test. */

import type { Environment } from "../runner/k6-cache.ts";
import type { GoTool } from "./go-tool.ts";
import { findGoTool } from "./go-tool.ts";

const PROMETHEUS: GoTool = {
  name: "prometheus",
  package: "github.com/prometheus/prometheus/cmd/prometheus",
  variable: "PROMETHEUS_BIN",
  goMinorMin: 26,
  // Without the tag "builtinassets" it has no web pages, which nobody looks at here.
  buildTags: ["remove_all_sd"],
  remedy: "Prometheus",
  buildTime: "3 min",
};

/** Path of prometheus. Throws with what to install. */
export function findPrometheus(
  env: Environment,
  onProgress: (text: string) => void,
): Promise<string> {
  return findGoTool(PROMETHEUS, env, onProgress);
}
