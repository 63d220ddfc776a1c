/** Finds promtool, which checks what Prometheus will read: the environment, PATH, the cache, Go. */

import { createHash } from "node:crypto";
import { access, constants, readFile } from "node:fs/promises";
import path from "node:path";
import { inspectGo } from "../runner/build-k6.ts";
import { captureOutput } from "../runner/capture-output.ts";
import type { Environment } from "../runner/k6-cache.ts";
import { cacheDir, placeAtomically } from "../runner/k6-cache.ts";

/** The Go module that pins promtool by checksum; the same version stands in its go.mod. */
const MODULE_DIR = path.join(import.meta.dirname, "promtool");
const PACKAGE = "github.com/prometheus/prometheus/cmd/promtool";
/** Go that promtool 3.15 needs; tools/promtool/go.mod says the same. */
const GO_MINOR_MIN = 26;
/** Service discovery is most of promtool's code, and nothing that we check with it. */
const BUILD_TAGS = "remove_all_sd";
/** Ours: a cold build takes about two minutes on two cores, and many on a busy machine. */
const BUILD_TIME_LIMIT_MS = 30 * 60_000;
/** Ours: the end of Go's output names the cause. */
const OUTPUT_CHARS_MAX = 1_500;

/** Path of a promtool that starts. Throws with what to install. */
export async function findPromtool(
  env: Environment,
  onProgress: (text: string) => void,
): Promise<string> {
  if (env.PROMTOOL_BIN) return env.PROMTOOL_BIN;
  const cached = await cachedPath(env);
  for (const candidate of [...onPath(env), cached])
    if (await isExecutable(candidate)) return candidate;
  const go = await inspectGo(env);
  if (!go.usable || Number(go.version.split(".")[1]) < GO_MINOR_MIN) {
    const found = go.usable ? `Go ${go.version} is too old` : go.reason;
    const remedy = `install Prometheus, which brings promtool, or Go 1.${GO_MINOR_MIN} or newer`;
    throw new Error(`no promtool found, and ${found}; ${remedy}, or set PROMTOOL_BIN`);
  }
  onProgress("building promtool with Go (about 2 min, once) ...");
  await placeAtomically(cached, (temporaryPath) => build(env, temporaryPath));
  return cached;
}

async function build(env: Environment, temporaryPath: string): Promise<void> {
  const args = ["build", "-tags", BUILD_TAGS, "-o", temporaryPath, PACKAGE];
  const { exitCode, stderr } = await captureOutput("go", args, {
    cwd: MODULE_DIR,
    env: { ...env, GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" },
    timeLimitMs: BUILD_TIME_LIMIT_MS,
  });
  if (exitCode === 0) return;
  const said = stderr.trim().slice(-OUTPUT_CHARS_MAX);
  throw new Error(`building promtool with Go failed; put promtool on PATH. Go said: ${said}`);
}

/** Another go.sum is another binary. */
async function cachedPath(env: Environment): Promise<string> {
  const sum = await readFile(path.join(MODULE_DIR, "go.sum"));
  const hash = createHash("sha256").update(sum).digest("hex").slice(0, 12);
  return path.join(cacheDir(env), "promtool", hash, executable());
}

function onPath(env: Environment): string[] {
  const folders = (env.PATH ?? env.Path ?? "").split(path.delimiter).filter(path.isAbsolute);
  return folders.map((folder) => path.join(folder, executable()));
}

function executable(): string {
  return process.platform === "win32" ? "promtool.exe" : "promtool";
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
