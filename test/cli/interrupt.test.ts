/** Ctrl-C as it arrives in practice: once, twice at once, and again by somebody who insists. */

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { formatRecord } from "../../contract/run/evidence.ts";
import { reportSchema } from "../../report/model.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { bendingProxy } from "../probe/bending-proxy.ts";
import { until } from "../probe/open-probe.ts";
import { bigKey } from "../reference/big-key.ts";
import { openReference } from "../reference/open-reference.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ours: longer than the echo of one Ctrl-C that is ignored, shorter than k6 is given to end. */
const INSISTING_MS = 2_500;

/** Ours: how late a busy machine may pass on the same Ctrl-C. */
const ECHO_MS = 1_000;

const DEAF = formatRecord({ type: "progress", scenario: "rate-limit", text: "deaf" });

/** Says that it is k6, and as soon as it hears no signal but SIGKILL, that it is deaf. */
const DEAF_K6 = `#!/bin/sh
if [ "$1" = version ]; then echo 'k6 v2.2.0'; exit 0; fi
trap '' INT TERM
for option; do
  case $option in --console-output=*) echo '${DEAF}' > "\${option#*=}" ;; esac
done
while :; do sleep 1; done
`;

type Child = { readonly pid?: number | undefined; kill(signal: NodeJS.Signals): unknown };

/** Does something once, when the marker is first seen. */
function once(marker: string, act: (child: Child) => void) {
  let done = false;
  return (text: string, child: Child) => {
    if (done || !text.includes(marker)) return;
    done = true;
    act(child);
  };
}

/** Ours: k6 is given 7 s to end, and a busy machine some more for the report. */
const END_MS_MAX = 45_000;

/** The state and the parent of a process; null where there is none. proc_pid_stat(5). */
function statOf(pid: number | string): { state: string; parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

/** All that a process has started, and that these have. */
function descendantsOf(pid: number): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const children = pids.filter((each) => statOf(each)?.parent === pid).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** A process that nobody has waited for yet is over, too. */
const isRunning = (pid: number) => !["Z", "X", undefined].includes(statOf(pid)?.state);

const runFolders = (place: string) =>
  readdirSync(place).filter((name) => name.startsWith("plumbline-run-"));

it(
  covers("SIGTERM alone ends a gate, with its children and its folder, in time", "32 gate"),
  async () => {
    await using folder = await temporaryFolder();
    const seen = { children: [] as readonly number[], folders: [] as string[], atMs: 0 };
    const stopAmidChildren = async (child: Child) => {
      const pid = child.pid ?? 0;
      await until(async () => {
        seen.children = descendantsOf(pid);
        return seen.children.length > 0 || !isRunning(pid);
      });
      seen.folders = runFolders(folder.path);
      seen.atMs = performance.now();
      child.kill("SIGTERM");
    };
    const report = join(folder.path, "report");
    const run = await runCli(["gate", "--only", "rate", "--report", report], {
      environment: { TMPDIR: folder.path },
      onStderr: once("rate-limit: started", (child) => void stopAmidChildren(child)),
    });
    expect(performance.now() - seen.atMs).toBeLessThan(END_MS_MAX);
    expect(run.exitCode, run.stderr).toBe(105);
    const json = await readFile(join(report, "report.json"), "utf8");
    expect(reportSchema.parse(JSON.parse(json)).partial).toBe(true);
    expect([seen.children.length > 0, seen.folders.length]).toEqual([true, 1]);
    await expect.poll(() => seen.children.filter(isRunning), { timeout: 20_000 }).toEqual([]);
    expect(runFolders(folder.path)).toEqual([]);
  },
);

const targetFile = (baseUrl: string) => `
target: { baseUrl: "${baseUrl}", timeScale: 0.05 }
keys: [ { name: main, plan: enterprise, sustained: 200, burst: 400, env: THE_KEY } ]
workers: { success: { id: echo, input: { text: hi } } }
`;

it(covers("a report that can't be written takes no verdict away", "35 gate"), async () => {
  await using folder = await temporaryFolder();
  const report = join(folder.path, "report");
  const service = await openReference({ timeScale: 0.05 });
  // While the gate waits for its answers.
  const takePlace = (body: string) => {
    mkdirSync(join(report, "report.json"), { recursive: true });
    return body;
  };
  const baseUrl = await bendingProxy(service.baseUrl, { answer: takePlace });
  const file = await folder.write("plumbline.yaml", targetFile(baseUrl));
  const args = ["--target", file, "--only", "auth.header-case", "--report", report];
  const run = await runCli(["gate", ...args], { environment: { THE_KEY: bigKey(service) } });
  expect(run.stderr).toMatch(/cannot write ".*report\.json" \(EISDIR/);
  expect(run.stdout).toMatch(/✓ auth\.header-case[\s\S]*1 kept, 0 broken/);
});

describe("Ctrl-C", () => {
  it(
    covers(
      "that arrives twice at once, from npm and the terminal, still leaves a report",
      "32 gate",
    ),
    async () => {
      await using folder = await temporaryFolder();
      const k6 = await folder.write("k6", DEAF_K6, 0o755);
      const run = await runCli(["gate", "--only", "rate", "--report", folder.path], {
        environment: { K6_BIN: k6 },
        onStderr: once("rate-limit: deaf", (child) => {
          // Two that are pending at once and alike would reach the command as one.
          child.kill("SIGINT");
          child.kill("SIGTERM");
          void sleep(ECHO_MS).then(() => child.kill("SIGTERM"));
        }),
      });
      expect(run.exitCode, run.stderr).toBe(105);
      const json = await readFile(join(folder.path, "report.json"), "utf8");
      expect(reportSchema.parse(JSON.parse(json)).partial).toBe(true);
    },
  );

  it("pressed again later ends at once, with all that was started", async () => {
    await using folder = await temporaryFolder();
    const k6 = await folder.write("k6", DEAF_K6, 0o755);
    const environment = { K6_BIN: k6 };
    const first = once("rate-limit: deaf", (child) => child.kill("SIGINT"));
    const again = once("stopping;", (child) => {
      void sleep(INSISTING_MS).then(() => child.kill("SIGINT"));
    });
    const run = await runCli(["gate", "--only", "rate", "--report", folder.path], {
      environment,
      onStderr: (text, child) => {
        first(text, child);
        again(text, child);
      },
    });
    expect(run.exitCode, run.stderr).toBe(105);
    await expect(readFile(join(folder.path, "report.json"))).rejects.toThrow(/ENOENT/);
  });

  it("ends a merge that waits for a load as interrupted", async () => {
    await using folder = await temporaryFolder();
    const run = await runCli(["merge", folder.path, "--wait", "60s", "--report", folder.path], {
      onStderr: once("waiting for the shards", (child) => child.kill("SIGINT")),
    });
    expect(run.exitCode, run.stderr).toBe(105);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("has the same effect as %s", async (signal) => {
    const run = await runCli(["reference", "--json"], {
      onStdout: once("baseUrl", (child) => child.kill(signal)),
    });
    expect(run.exitCode, run.stderr).toBe(0);
  });
});
