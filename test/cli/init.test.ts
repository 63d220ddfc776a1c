/** `plumbline init` as a user calls it: the file that it writes is one that the gate takes. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { parseTargetFile } from "../../cli/target-file/target-file.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { serve } from "../http/serve.ts";
import { openReference } from "../reference/open-reference.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function reference(): Promise<ReferenceService> {
  return await openReference({ timeScale: 0.05 });
}

const keyOf = ({ keys }: ReferenceService, name: string) =>
  keys.find((key) => key.name === name)?.value ?? "";

describe("init", () => {
  it("reads the workers, writes what the preflight accepts, and says what is missing", async () => {
    await using folder = await temporaryFolder();
    const service = await reference();
    const environment = {
      PLUMBLINE_KEY_FREE: keyOf(service, "free-a"),
      PLUMBLINE_KEY_PRO: keyOf(service, "pro-c"),
    };
    const keys = ["--key", "PLUMBLINE_KEY_FREE:free:one", "--key", "PLUMBLINE_KEY_PRO:pro:two"];
    const args = ["init", service.baseUrl, ...keys, "--worker", "failure=fail"];
    const run = await runCli(args, { environment, cwd: folder.path });
    expect(run.exitCode, run.stderr).toBe(0);
    const text = await readFile(join(folder.path, "plumbline.yaml"), "utf8");
    const { target } = parseTargetFile(text, "plumbline.yaml", environment);
    expect(target.keys.map(({ name, plan, account }) => [name, plan, account])).toEqual([
      ["free", "free", "one"],
      ["pro", "pro", "two"],
    ]);
    expect(target.workers).toEqual({
      success: { id: "echo", input: { text: "hello" }, marker: "text" },
      slow: { id: "sleep", input: { seconds: 8 } },
      timeout: { id: "sleep-short", input: { seconds: 60 } },
      failure: { id: "fail", input: {} },
    });
    expect(run.stdout).toMatch(/\d+ of \d+ promises can be judged with it/);
    expect(run.stdout).toMatch(/\+ publish: .*\n +workers\.publish/);
    expect(run.stdout).toMatch(/next: .*\nif a worker does not do what its part needs,/);
    expect(text + run.stdout + run.stderr).not.toContain(environment.PLUMBLINE_KEY_FREE);
    const again = await runCli(args, { environment, cwd: folder.path });
    const refused = /^error.*"plumbline.yaml" \(EEXIST\); expected another name, or --force\n$/;
    expect(again.stderr).toMatch(refused);
    expect(again.exitCode).toBe(104);
    const odd = await runCli([...args, "--out", "it's.yaml"], { environment, cwd: folder.path });
    expect(odd.stdout).toContain("gate --target 'it'\\''s.yaml'\n");
  });

  it("shows no key, and writes none, where the catalogue quotes it", async () => {
    await using folder = await temporaryFolder();
    const address = await serve((request, response) => {
      const entry = { worker_id: "echo", name: request.headers["x-api-key"], billing_mode: "x" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url === "/v1/workers" ? { workers: [entry] } : entry));
    });
    const environment = { PLUMBLINE_KEY_A: "the-key-that-nobody-may-see" };
    const run = await runCli(["init", address], { environment, cwd: folder.path });
    const text = await readFile(join(folder.path, "plumbline.yaml"), "utf8");
    expect(text).toContain("echo ([redacted])");
    expect(text + run.stdout + run.stderr).not.toContain(environment.PLUMBLINE_KEY_A);
  });

  it.each([
    [
      "nowhere/plumbline.yaml",
      /^error.*"nowhere\/plumbline.yaml" \(ENOENT\); expected a file in .*\n$/,
    ],
    [".", /^error.*"\." \(EISDIR\); expected a file in .*\n$/],
  ])("says that %s can't be written before it asks for anything", async (out, refused) => {
    await using folder = await temporaryFolder();
    const flags = ["--key", "PLUMBLINE_KEY_A:free", "--out", out, "--force"];
    const run = await runCli(["init", "http://127.0.0.1:1", ...flags], { cwd: folder.path });
    expect(run.stderr).toMatch(refused);
    expect(run.exitCode).toBe(104);
  });

  it("refuses a key's value in any flag, unseen, before a file is thought of", async () => {
    await using folder = await temporaryFolder();
    const environment = { PLUMBLINE_KEY_A: "the-key-that-nobody-may-see" };
    const secret = environment.PLUMBLINE_KEY_A;
    const keys = ["--key", `PLUMBLINE_KEY_A:free:${secret}`];
    const flags = [...keys, "--publish", secret, "--worker", `success=${secret}`];
    const url = "http://127.0.0.1:1";
    const run = await runCli(["init", url, ...flags], { environment, cwd: folder.path });
    const problems = run.stderr.trim().split("\n");
    expect(problems.map((line) => line.split(": ")[1])).toEqual(["--key", "--worker", "--publish"]);
    expect(run.stderr).toContain("holds the value of a key");
    expect(run.stderr).not.toContain(secret);
    expect(run.exitCode).toBe(104);
  });

  it("writes the plan that the service says, and says so", async () => {
    await using folder = await temporaryFolder();
    const service = await reference();
    const environment = { PLUMBLINE_KEY_A: keyOf(service, "pro-c") };
    const args = ["init", `${service.baseUrl}/v1/`, "--key", "PLUMBLINE_KEY_A:free"];
    const run = await runCli(args, { environment, cwd: folder.path });
    expect(run.stderr).toContain("/v1 is left out of the address");
    expect(run.stderr).toMatch(/key "a" .*GET \/v1\/me says plan pro, .* you said free/);
    const text = await readFile(join(folder.path, "plumbline.yaml"), "utf8");
    const { target } = parseTargetFile(text, "plumbline.yaml", environment);
    expect(target).toMatchObject({ baseUrl: service.baseUrl, keys: [{ plan: "pro" }] });
  });

  it("names workers of the catalogue where one is unknown", async () => {
    await using folder = await temporaryFolder();
    const service = await reference();
    const environment = { PLUMBLINE_KEY_A: keyOf(service, "pro-c") };
    const args = ["init", service.baseUrl, "--worker", "success=nope"];
    const run = await runCli(args, { environment, cwd: folder.path });
    expect(run.stderr).toMatch(/success\.id "nope": .*404.*; it shows .*\becho\b/);
    expect(run.exitCode).toBe(104);
  });

  it("tells all that is wrong with its flags at once, and writes nothing", async () => {
    await using folder = await temporaryFolder();
    const flags = ["--key", "NOT_SET:gold", "--worker", "sucess=echo", "--cancel", "DROP"];
    const run = await runCli(["init", "ftp://x", ...flags], { cwd: folder.path });
    for (const part of ["ftp://x", 'plan "gold"', 'did you mean "success"', '"DROP"']) {
      expect(run.stderr).toContain(part);
    }
    expect(run.exitCode).toBe(104);
    await expect(readFile(join(folder.path, "plumbline.yaml"))).rejects.toThrow("ENOENT");
  });

  it("says that nothing listens, and exits as without a verdict", async () => {
    await using folder = await temporaryFolder();
    const environment = { PLUMBLINE_KEY_A: "some-key" };
    const run = await runCli(["init", "http://127.0.0.1:1"], { environment, cwd: folder.path });
    expect(run.stderr).toMatch(/target-unreachable.*connection was refused/);
    expect(run.exitCode).toBe(111);
  });
});
