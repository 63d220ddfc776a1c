/** `plumbline doctor`: what this machine has and lacks, the remedy, and how gate would get k6. */

import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { causeOf } from "../../contract/text/thrown.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { GO_REQUIREMENT } from "../../runner/build-k6.ts";
import { whyNotFetched } from "../../runner/download-k6.ts";
import type { Environment } from "../../runner/executables.ts";
import type { WayToK6 } from "../../runner/find-k6.ts";
import { wayToK6 } from "../../runner/find-k6.ts";
import { cacheDir } from "../../runner/k6-cache.ts";
import { K6UnavailableError } from "../../runner/k6-unavailable-error.ts";
import type { Context } from "../context.ts";
import { isNewEnough, NODE_MAJOR_MIN } from "../node-version.ts";

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
    await checkK6(environment),
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

/** The way that `gate` itself takes: a k6 that is there, one built with Go, or the release. */
async function checkK6(environment: Environment): Promise<Finding> {
  try {
    return { name: "k6", ...(await k6Finding(await wayToK6(environment))) };
  } catch (error) {
    if (!(error instanceof K6UnavailableError)) throw error;
    return { name: "k6", state: "missing", text: error.message };
  }
}

const REMEDY = `install k6 2.x (on PATH or in K6_BIN), or ${GO_REQUIREMENT} to build it`;

async function k6Finding(way: WayToK6): Promise<Pick<Finding, "state" | "text">> {
  if (way.kind === "present") {
    return { state: "ok", text: `${way.binary.version} (${way.binary.path})` };
  }
  if (way.kind === "build") {
    const text = `${way.nothing}; the first run builds it with Go ${way.go}, in about 80 s`;
    return { state: "ok", text };
  }
  const { nothing, goReason, archive } = way;
  if (archive === null) {
    const machine = `${process.platform}-${process.arch}`;
    const text = `${nothing}, ${goReason}, no release is known for ${machine}; ${REMEDY}`;
    return { state: "missing", text };
  }
  const why = await whyNotFetched(archive);
  return why === null
    ? { state: "ok", text: `${nothing}, ${goReason}; the first run fetches the release` }
    : { state: "missing", text: `${nothing}, ${goReason}, and ${why}; ${REMEDY}` };
}

async function checkFolder(name: string, folder: string, remedy: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true });
    await rm(await mkdtemp(join(folder, "plumbline-doctor-")), { recursive: true });
    return { name, state: "ok", text: folder };
  } catch (error) {
    const code = causeOf(error);
    return { name, state: "missing", text: `${folder} is not writable (${code}); ${remedy}` };
  }
}

/** Ours: a firewall may drop what is sent there; then connecting alone would take minutes. */
const LOOPBACK_WAIT_MS = 5_000;

/** The embedded service and the webhook receiver listen there. */
async function checkLoopback(): Promise<Finding> {
  const server = createServer();
  try {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A network that is down can be listened on, too.
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", timeout: LOOPBACK_WAIT_MS });
    const noAnswer = Object.assign(new Error("no answer"), { code: "ETIMEDOUT" });
    client.once("timeout", () => client.destroy(noAnswer));
    await once(client, "connect");
    client.destroy();
    return { name: "loopback", state: "ok", text: "127.0.0.1 can be listened on and reached" };
  } catch (error) {
    const remedy = "allow this program to listen, and bring the loopback network up";
    const text = `cannot listen on 127.0.0.1, or not reach it (${causeOf(error)}); ${remedy}`;
    return { name: "loopback", state: "missing", text };
  } finally {
    server.close();
  }
}
