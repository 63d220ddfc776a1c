/** `plumbline doctor`: what this machine has and lacks, with the remedy; needs no network. */

import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { codeOf } from "../../contract/thrown.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { GO_REQUIREMENT, inspectGo } from "../../runner/build-k6.ts";
import { findPresentK6 } from "../../runner/find-k6.ts";
import { cacheDir } from "../../runner/k6-cache.ts";
import { K6UnavailableError } from "../../runner/k6-unavailable-error.ts";
import type { Context } from "../context.ts";
import { isNewEnough, NODE_MAJOR_MIN } from "../node-version.ts";
import type { Environment } from "../target-file/key-checks.ts";

interface Finding {
  name: string;
  state: "ok" | "missing";
  text: string;
}

export async function doctorCommand(
  _flags: Readonly<Record<string, never>>,
  { environment, output }: Context,
): Promise<ExitCode> {
  const findings = [
    checkNode(process.versions.node),
    ...(await checkTools(environment)),
    await checkFolder("cache", cacheDir(environment), "set PLUMBLINE_CACHE to a writable folder"),
    await checkFolder("temporary files", tmpdir(), "set TMPDIR to a writable folder"),
    await checkLoopback(),
  ];
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const { name, state, text } of findings) {
    output.result(`${state.padEnd(7)}  ${name.padEnd(width)}  ${text}\n`);
  }
  return findings.every(({ state }) => state === "ok") ? EXIT.ok : EXIT.usage;
}

function checkNode(version: string): Finding {
  const fits = isNewEnough(version);
  const remedy = fits ? "" : `; install Node ${NODE_MAJOR_MIN} or newer, or use npm start`;
  return { name: "node", state: fits ? "ok" : "missing", text: version + remedy };
}

/** Go matters only where it has to build k6, so that without either it is k6 that is missing. */
async function checkTools(environment: Environment): Promise<Finding[]> {
  const go = await inspectGo(environment);
  const k6 = await presentK6(environment);
  const isNeeded = k6.state === "missing" && k6.buildable;
  const need = isNeeded ? `${GO_REQUIREMENT} builds k6` : "not needed where k6 is there";
  const goText = go.usable ? go.version : `${go.reason}; ${need}`;
  const goRow: Finding = {
    name: "go",
    state: go.usable || !isNeeded ? "ok" : "missing",
    text: goText,
  };
  if (k6.state === "ok" || !k6.buildable) return [k6, goRow];
  if (go.usable) {
    const text = `${k6.text}; the first run builds it in about 80 s`;
    return [{ name: "k6", state: "ok", text }, goRow];
  }
  const remedy = `install k6 2.x (on PATH or in K6_BIN), or ${GO_REQUIREMENT} to build it`;
  return [{ name: "k6", state: "missing", text: `${k6.text}; ${remedy}` }, goRow];
}

/** A K6_BIN that is wrong is not mended by a build: it was named on purpose. */
async function presentK6(environment: Environment): Promise<Finding & { buildable: boolean }> {
  try {
    const { binary, nothing } = await findPresentK6(environment);
    if (binary === null) return { name: "k6", state: "missing", text: nothing, buildable: true };
    const text = `${binary.version} (${binary.path})`;
    return { name: "k6", state: "ok", text, buildable: false };
  } catch (error) {
    if (!(error instanceof K6UnavailableError)) throw error;
    return { name: "k6", state: "missing", text: error.message, buildable: false };
  }
}

async function checkFolder(name: string, folder: string, remedy: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true });
    await rm(await mkdtemp(join(folder, "plumbline-doctor-")), { recursive: true });
    return { name, state: "ok", text: folder };
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    return { name, state: "missing", text: `${folder} is not writable (${code}); ${remedy}` };
  }
}

/** The embedded service and the webhook receiver listen there. */
async function checkLoopback(): Promise<Finding> {
  const server = createServer();
  try {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { name: "loopback", state: "ok", text: "127.0.0.1 can be listened on" };
  } catch (error) {
    const text = `cannot listen on 127.0.0.1 (${String(error)}); allow this program to listen`;
    return { name: "loopback", state: "missing", text };
  } finally {
    server.close();
  }
}
