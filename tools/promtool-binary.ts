/** promtool, which checks what Prometheus will read. */

import type { Environment } from "../runner/k6-cache.ts";
import type { GoTool } from "./go-tool.ts";
import { findGoTool } from "./go-tool.ts";

const PROMTOOL: GoTool = {
  name: "promtool",
  package: "github.com/prometheus/prometheus/cmd/promtool",
  variable: "PROMTOOL_BIN",
  goMinorMin: 26,
  // Service discovery is most of promtool's code, and nothing that we check with it.
  buildTags: ["remove_all_sd"],
  remedy: "Prometheus, which brings promtool",
  buildTime: "2 min",
};

/** Path of promtool. Throws with what to install. */
export function findPromtool(
  env: Environment,
  onProgress: (text: string) => void,
): Promise<string> {
  return findGoTool(PROMTOOL, env, onProgress);
}
