/** A world whose probe is a process of its own, started as an operator does. */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";
import type { ReferenceService } from "../../../reference/service.ts";
import { startReference } from "../../../reference/service.ts";
import { SOURCES } from "../../cli/main-file.ts";
import { freePort } from "../../http/free-port.ts";
import { sample } from "../../probe/sample.ts";
import { LOCATION } from "./history.ts";
import { CANARY_MS } from "./pace.ts";

export interface ProcessWorld {
  service: ReferenceService;
  /** host:port of its metrics, the same after a restart. */
  address: string;
  /** The probe's process. */
  pid(): number;
  start(): Promise<void>;
  /** Returns when the process is no more. */
  kill(): Promise<void>;
  writeTarget(text: string): Promise<void>;
  /** The target file as it was at first. */
  targetText: string;
  sample(pattern: RegExp): Promise<number>;
  close(): Promise<void>;
}

const TIME_SCALE = 0.02;
/** What a process needs of this one's environment. */
const PASSED_ON = ["PATH", "HOME", "TMPDIR"];
/** Ours: starting takes a second; on a busy machine it may be many. */
const START_MS = 60_000;

export async function openProcessWorld(folder: string): Promise<ProcessWorld> {
  const service = await startReference({ timeScale: TIME_SCALE });
  const port = await freePort();
  const targetFile = path.join(folder, "plumbline.yaml");
  const targetText = stringify(targetFileOf(service.baseUrl));
  const writeTarget = (text: string) => writeFile(targetFile, text);
  await mkdir(folder, { recursive: true });
  await writeTarget(targetText);
  const address = `127.0.0.1:${port}`;
  const state = path.join(folder, "state");
  const args = ["probe", "--target", targetFile, "--listen", address, "--state", state];
  let child: ChildProcess | null = null;
  // A test that fails half-way must not leave it behind.
  const end = () => void child?.kill("SIGKILL");
  process.once("exit", end);
  const kill = async () => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    service,
    address,
    targetText,
    writeTarget,
    pid: () => child?.pid ?? 0,
    async start() {
      const env = environmentOf(service);
      child = spawn(process.execPath, [SOURCES, ...args, "--location", LOCATION], {
        env,
        stdio: "ignore",
      });
      await answering(`http://${address}/healthz`);
    },
    kill,
    sample: (pattern) => sample(`http://${address}`, pattern),
    async close() {
      process.off("exit", end);
      await kill();
      await service.close();
    },
  };
}

function targetFileOf(baseUrl: string) {
  return {
    target: { baseUrl, timeScale: TIME_SCALE },
    keys: [{ name: "pro", plan: "pro", env: "PLUMBLINE_KEY_PRO" }],
    workers: { success: { id: "echo", input: { text: "hello" }, marker: "text" } },
    canaries: [
      {
        name: "success",
        part: "success",
        every: `${CANARY_MS}ms`,
        deadline: `${2 * CANARY_MS}ms`,
      },
    ],
    budget: { jobs: 1_000 },
    probe: { budget: { day: { jobs: 10_000 } } },
  };
}

function environmentOf({ keys }: ReferenceService): Record<string, string> {
  const inherited = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const value = keys.find(({ name }) => name === "pro-a")?.value ?? "";
  return { ...Object.fromEntries(inherited), PLUMBLINE_KEY_PRO: value };
}

async function answering(url: string): Promise<void> {
  const endMs = Date.now() + START_MS;
  while (Date.now() < endMs) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no answer from ${url} within ${START_MS / 1_000} s; expected a probe there`);
}
