/** Runs the real promtool on files of a folder. */

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { captureOutput } from "../../runner/capture-output.ts";
import { goTool } from "../go-tool.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

/** Ours: twenty times what most rule tests take alone, as others may have all cores. */
const TIME_LIMIT_MS = 15 * 60_000;
/**
 * Ours: promtool keeps little and makes much. Where its heap may grow to five times what it keeps,
 * some 250 MB, it takes a seventh less processor time than with Go's own 100. See Go's runtime.
 */
const GARBAGE_PERCENT = "400";

/** What promtool said, and its exit code. The files are written to a folder of their own. */
export async function promtool(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<{ exitCode: number; said: string }> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const command = await goTool("promtool");
  const { exitCode, stdout, stderr, timedOut } = await captureOutput(command, args, {
    cwd: folder,
    env: { ...process.env, GOGC: GARBAGE_PERCENT },
    timeLimitMs: TIME_LIMIT_MS,
  });
  if (timedOut) throw new Error(`promtool was ended after ${TIME_LIMIT_MS / 1_000} s`);
  return { exitCode, said: `${stdout}${stderr}` };
}
