/** `plumbline probe --once` on the host of a probe that runs: what that one holds is in no way. */

import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { covers } from "../../tools/robustness/covers.ts";
import { freePort } from "../http/free-port.ts";
import { openReference } from "../reference/open-reference.ts";
import type { CliRun } from "./run-cli.ts";
import { runCli } from "./run-cli.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ours: two starts of the command, and some runs, on a busy machine. */
const LIMIT_MS = 600_000;

interface Host {
  folder: TemporaryFolder;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** The webhooks' address, which the probe holds. */
  hook: number;
}

async function openHost(publicUrl: string): Promise<Host> {
  const service = await openReference({ timeScale: 0.05 });
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const [hook, page] = [await freePort(), await freePort()];
  const file = await folder.write(
    "plumbline.yaml",
    [
      `target: { baseUrl: "${service.baseUrl}", timeScale: 0.05 }`,
      "keys: [ { name: main, plan: pro, env: PROBE_TEST_KEY } ]",
      "workers: { success: { id: echo, input: { text: hi } } }",
      `webhook: { listen: "127.0.0.1:${hook}"${publicUrl} }`,
      "canaries: [ { name: main, part: success, every: 1m, webhook: true } ]",
    ].join("\n"),
  );
  const place = ["--listen", `127.0.0.1:${page}`, "--state", path.join(folder.path, "state")];
  const value = service.keys.find(({ plan }) => plan === "pro")?.value ?? "";
  return {
    folder,
    args: ["probe", "--target", file, ...place],
    environment: { PROBE_TEST_KEY: value, TMPDIR: folder.path },
    hook,
  };
}

/** A call beside a probe with the same options, once that one runs; then the probe ends. */
async function beside({ args, environment }: Host, more: readonly string[]): Promise<CliRun> {
  let second: Promise<CliRun> | null = null;
  const probe = await runCli([...args, "--grace", "0s"], {
    environment,
    onStdout: (text, child) => {
      if (!text.includes("stop: Ctrl-C") || second !== null) return;
      second = runCli([...args, ...more], { environment });
      void second.finally(() => child.kill("SIGTERM"));
    },
  });
  if (second === null) throw new Error(`the probe did not start: ${probe.stderr}`);
  expect(probe.exitCode).toBe(0);
  return await second;
}

describe("--once beside a probe of the same target file and state folder", () => {
  it(covers("judges, takes another port for webhooks, and leaves nothing", "36 probe"), {
    timeout: LIMIT_MS,
  }, async () => {
    const host = await openHost("");
    const once = await beside(host, ["--once"]);
    expect(once.stderr).toContain("a running probe holds the journal");
    expect(once.stderr).toContain("the webhook receiver is listening");
    expect(once.stdout).toMatch(/^main: success: the job completed/m);
    expect(once.exitCode).toBe(0);
    const left = await readdir(host.folder.path);
    expect(left.filter((name) => name.startsWith("plumbline-probe-"))).toEqual([]);
  });

  it("asks for no webhooks where only the taken address is reached, and says so", {
    timeout: LIMIT_MS,
  }, async () => {
    const host = await openHost(', publicUrl: "http://hooks.example.com/"');
    const once = await beside(host, ["--once"]);
    const said = `cannot listen on 127.0.0.1:${host.hook} `;
    expect(once.stderr).toMatch(new RegExp(`no webhook can arrive: ${said}.*ask for no webhooks`));
    expect(once.stdout).toMatch(/^main: success: the job completed/m);
    expect(once.exitCode).toBe(0);
  });
});

it("--once needs no state folder: where there can be none, it leaves none", {
  timeout: LIMIT_MS,
}, async () => {
  const { folder, args, environment } = await openHost("");
  // What a folder of the journal can't be made in, for any user.
  await folder.write(".plumbline", "a file");
  const own = [...args.slice(0, args.indexOf("--state")), "--once"];
  const round = await runCli(own, { environment, cwd: folder.path });
  expect(round.stderr).not.toContain("journal");
  expect(round.stdout).toMatch(/^main: success: the job completed/m);
  expect(round.exitCode).toBe(0);
  expect((await readdir(folder.path)).sort()).toEqual([".plumbline", "plumbline.yaml"]);
});

it("a folder that is named, and can be none, is an error also with --once", {
  timeout: LIMIT_MS,
}, async () => {
  const { folder, args, environment } = await openHost("");
  await folder.write("state", "a file");
  const round = await runCli([...args, "--once"], { environment });
  expect(round.exitCode).toBe(104);
  expect(round.stderr).toMatch(
    /--state: no journal in ".*" \(.*\); expected a folder that can be written/,
  );
});

it("a second probe that is to stay is still refused", { timeout: LIMIT_MS }, async () => {
  const second = await beside(await openHost(""), []);
  expect(second.exitCode).toBe(104);
  expect(second.stderr).toContain("expected a state folder of its own for each probe");
});
