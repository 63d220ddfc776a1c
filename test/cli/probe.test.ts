/** `plumbline probe` as a process: exit codes of --once, reloads, what its output never holds. */

import { once } from "node:events";
import { open, rename, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { openReference } from "../reference/open-reference.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ours: a start of the command, and some runs, on a busy machine. */
const LIMIT_MS = 600_000;

describe("--once", () => {
  it.each([
    ["0 when all is well", [], 0],
    ["99 when a canary is not", ["--fault", "job.result-present/missing"], 99],
  ] as const)("exits with %s", { timeout: LIMIT_MS }, async (_, faults, code) => {
    const args = ["probe", "--once", "--listen", "127.0.0.1:0", "--time-scale", "0.05"];
    const { exitCode, stdout } = await runCli([...args, ...faults]);
    expect(stdout).toMatch(/^main: (success|wrong_result): the job completed/m);
    expect(exitCode).toBe(code);
  });
});

it("exits with 111 when nobody can tell: the key is refused", { timeout: LIMIT_MS }, async () => {
  const service = await openReference({ timeScale: 0.05 });
  await using folder = await temporaryFolder();
  const file = await folder.write("plumbline.yaml", targetFile(service.baseUrl, "1s"));
  const place = ["--listen", "127.0.0.1:0", "--state", folder.path];
  const { exitCode, stdout } = await runCli(["probe", "--once", "--target", file, ...place], {
    environment: { PROBE_TEST_KEY: "no-such-key" },
  });
  expect(stdout).toMatch(/^main: auth: /m);
  expect(exitCode).toBe(111);
});

it("says that it ran nothing where no canary is configured", { timeout: LIMIT_MS }, async () => {
  await using folder = await temporaryFolder();
  const text = targetFile("http://127.0.0.1:1", "1s").replace(/canaries: .*/, "canaries: []");
  const file = await folder.write("plumbline.yaml", text);
  const args = ["probe", "--once", "--target", file, "--state", folder.path];
  const { exitCode, stderr } = await runHere([...args, "--listen", "127.0.0.1:0"], {
    environment: { PROBE_TEST_KEY: "key" },
  });
  expect(stderr).toContain("no canary is configured");
  expect(exitCode).toBe(111);
});

function targetFile(baseUrl: string, every: string): string {
  return [
    `target: { baseUrl: "${baseUrl}" }`,
    "keys: [ { name: main, plan: pro, env: PROBE_TEST_KEY } ]",
    "workers: { success: { id: echo, input: { text: hi } } }",
    `canaries: [ { name: main, part: success, every: ${every} } ]`,
  ].join("\n");
}

const settled = async (check: () => Promise<boolean>) => {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 100));
};

it(covers(
  "takes its file again when it changes or on SIGHUP, keeps the old one, shows no key",
  "32 probe",
  "48 probe",
), {
  timeout: LIMIT_MS,
}, async () => {
  const service = await openReference({ timeScale: 0.05 });
  await using folder = await temporaryFolder();
  const file = join(folder.path, "plumbline.yaml");
  const write = (every: string) => writeFile(file, targetFile(service.baseUrl, every));
  // As editors do it, and whoever wants no reader to see half a file.
  const replace = async (every: string) => {
    await writeFile(`${file}.new`, targetFile(service.baseUrl, every));
    await rename(`${file}.new`, file);
  };
  await write("1s");
  const value = service.keys.find(({ plan }) => plan === "pro")?.value ?? "";
  const place = ["--listen", "127.0.0.1:0", "--state", folder.path, "--location", "attic"];
  let used = false;
  const use = async (text: string, child: { kill(signal: NodeJS.Signals): unknown }) => {
    const address = /metrics +(\S+)/.exec(text)?.[1];
    if (address === undefined || used) return;
    used = true;
    const shows = async (pattern: RegExp) => pattern.test(await (await fetch(address)).text());
    await settled(() =>
      shows(/runs_total\{canary="main",outcome="success",location="attic"\} [1-9]/),
    );
    await replace("2s");
    await settled(() => shows(/interval_seconds\{canary="main".*\} 2/));
    child.kill("SIGHUP");
    await settled(() => shows(/reloads_total\{result="success".*\} [2-9]/));
    await write("sometimes");
    await settled(() => shows(/reloads_total\{result="failure".*\} [1-9]/));
    expect(await shows(/interval_seconds\{canary="main".*\} 2/)).toBe(true);
    child.kill("SIGTERM");
  };
  const run = await runCli(["probe", "--target", file, "--watch", "--grace", "0s", ...place], {
    environment: { PROBE_TEST_KEY: value },
    onStdout: (text, child) => void use(text, child),
  });
  expect(run.exitCode).toBe(0);
  const lines = run.stderr.trim().split("\n");
  expect(lines[0]).toContain(
    `"event":"start","version":"0.1.0","msg":"probing ${service.baseUrl}"`,
  );
  // Not always the last one: a run may settle while the probe closes.
  expect(run.stderr).toMatch(/"event":"stop","msg":"stopping; waits up to 0 ms for jobs in fl/);
  expect(run.stderr).toContain("rejected the changed target file");
  expect(value).not.toBe("");
  expect(run.stdout + run.stderr).not.toContain(value);
});

/** As a file that is mounted by itself: what stays open is the old one. */
it("does not take a file up that was replaced where it is mounted from", {
  timeout: LIMIT_MS,
}, async () => {
  const service = await openReference({ timeScale: 0.05 });
  await using folder = await temporaryFolder();
  const [file, other] = [join(folder.path, "a.yaml"), join(folder.path, "b.yaml")];
  for (const each of [file, other]) await writeFile(each, targetFile(service.baseUrl, "1s"));
  const mounted = await open(file);
  onTestFinished(() => mounted.close());
  let isReplaced = false;
  const args = ["--target", `/proc/${process.pid}/fd/${mounted.fd}`, "--watch", "--grace", "0s"];
  const run = await runCli(["probe", ...args, "--listen", "127.0.0.1:0", "--state", folder.path], {
    environment: { PROBE_TEST_KEY: service.keys[0]?.value ?? "" },
    onStdout: (_text, child) => {
      if (isReplaced) return;
      isReplaced = true;
      void rename(other, file).then(() => child.kill("SIGHUP"));
    },
    onStderr: (said, child) => {
      if (said.includes("rejected the changed target file")) child.kill("SIGTERM");
    },
  });
  expect(run.stderr).toMatch(/was replaced where it is mounted from/);
  expect(run.exitCode).toBe(0);
});

it("shows its page under the names of --allow-host, and under no other", {
  timeout: LIMIT_MS,
}, async () => {
  const asked: Promise<unknown>[] = [];
  const status = async (address: string, host: string) => {
    const asking = request(address, { headers: { host } }).end();
    const [answer] = await once(asking, "response");
    answer.resume();
    return answer.statusCode;
  };
  const args = ["--listen", "127.0.0.1:0", "--allow-host", "a.example, probe.example.com"];
  const run = await runCli(["probe", "--grace", "0s", ...args], {
    onStdout: (text, child) => {
      const page = /status page +(\S+)/.exec(text)?.[1];
      if (page === undefined || asked.length > 0) return;
      const answers = ["probe.example.com", "evil.example"].map((host) => status(page, host));
      asked.push(Promise.all(answers).finally(() => child.kill("SIGTERM")));
    },
  });
  expect(await Promise.all(asked)).toEqual([[200, 421]]);
  expect(run.exitCode).toBe(0);
});

it("refuses --state without a target, and a label that metrics have already", async () => {
  const run = await runHere(["probe", "--state", "x", "--label", "canary=a", "--label", "b"]);
  expect(run.stderr).toMatch(/--state: .*; expected --target beside it/);
  expect(run.stderr).toContain('"canary=a" would replace a label that exists already');
  expect(run.stderr).toContain('"b" is not a label; expected name=value');
  expect(run.exitCode).toBe(104);
});
