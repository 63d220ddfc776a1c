/** amtool, which checks what Alertmanager will read. */

import type { Environment } from "../runner/k6-cache.ts";
import type { GoTool } from "./go-tool.ts";
import { findGoTool } from "./go-tool.ts";

const AMTOOL: GoTool = {
  name: "amtool",
  package: "github.com/prometheus/alertmanager/cmd/amtool",
  variable: "AMTOOL_BIN",
  goMinorMin: 26,
  buildTags: [],
  remedy: "Alertmanager, which brings amtool",
  buildTime: "1 min",
};

/** Path of amtool. Throws with what to install. */
export function findAmtool(env: Environment, onProgress: (text: string) => void): Promise<string> {
  return findGoTool(AMTOOL, env, onProgress);
}
