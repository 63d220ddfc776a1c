/**
 * What the command takes to start, beside Node itself: processor time of whole processes.
 *
 * npm run bench -- --only starts
 */

import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SOURCES } from "../test/cli/main-file.ts";
import { temporaryFolder } from "../test/cli/temporary-folder.ts";
import { TICK_MS } from "./processor-time.ts";
import { measure } from "./row.ts";

/** Ours: one start is too short for a clock that counts in hundredths of a second. */
const STARTS = 10;
/** Stripping types is not the command's: what is published is JavaScript. */
const env = { ...process.env, NODE_COMPILE_CACHE: path.join(tmpdir(), "plumbline-compile-cache") };

/** Processor time of a start, in ms; what ends otherwise than it should has no time. */
async function startMs(args: readonly string[], exitCode: number): Promise<number> {
  const before = await childrenMs();
  for (let at = 0; at < STARTS; at += 1) {
    const { status, error } = spawnSync(process.execPath, args, { env });
    if (error !== undefined) throw error;
    if (status !== exitCode) throw new Error(`${args.join(" ")}: exit code ${status}`);
  }
  return ((await childrenMs()) - before) / STARTS;
}

/** Of all children that have ended. Source: proc(5), cutime and cstime. */
async function childrenMs(): Promise<number> {
  const [, fields = ""] = (await readFile("/proc/self/stat", "utf8")).split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(13, 15).map(Number);
  return (user + system) * TICK_MS;
}

const WRONG_VALUE = `target: { baseUrl: "http://127.0.0.1:1" }
keys:
  - { name: big, plan: gold, env: BENCH_KEY }
workers: { success: { id: echo, input: { text: hello } } }
`;

await using folder = await temporaryFolder();
const wrong = await folder.write("plumbline.yaml", WRONG_VALUE);
const rows = [
  ["help", "`--help`", ["--help"], 0],
  ["config-error", "a target file that is not there", ["gate", "--target", "no-such.yaml"], 104],
  ["wrong-value", "a target file with a wrong value", ["gate", "--target", wrong], 104],
] as const;

for (const [name, subject, args, exitCode] of rows) {
  const what = "processor time of a start, ms";
  await measure({
    figures: [{ name: `start-${name}`, what, goal: { atMost: 3 } }],
    subject,
    peer: "`node -e 0`",
    measureSubject: async () => [await startMs([SOURCES, ...args], exitCode)],
    measurePeer: async () => [await startMs(["-e", "0"], 0)],
  });
}
