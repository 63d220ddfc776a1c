/** Lets promtool judge a scrape. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { goTool } from "../../go-tool.ts";

/** What promtool says against the scrape; empty when nothing. */
export async function checkMetrics(scrape: string): Promise<string> {
  const promtool = await goTool("promtool");
  const child = spawn(promtool, ["check", "metrics"]);
  child.stdin.end(scrape);
  const ended = once(child, "close");
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number];
  return code === 0 ? "" : `exit ${code}: ${said.join("")}`;
}
