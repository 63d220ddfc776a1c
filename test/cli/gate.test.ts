/** The gate as a user runs it: exit codes, files, both output streams, Ctrl-C. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startReference } from "../../reference/service.ts";
import type { Report } from "../../report/model.ts";
import { reportSchema } from "../../report/model.ts";
import { covers } from "../../tools/robustness/covers.ts";
import type { CliRun } from "./run-cli.ts";
import { runCli } from "./run-cli.ts";
import { traces } from "./spellings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Judged without k6, so that it takes a moment only. */
const QUICKEST = "auth.header-case";
/** Ours: two scenarios on a busy machine. */
const GROUPS_MS = 600_000;

describe("gate on the embedded service", () => {
  it("passes when what was asked for is kept, and leaves a report", async () => {
    await using folder = await temporaryFolder();
    const run = await runCli(["gate", "--only", QUICKEST, "--report", folder.path, "--seed", "7"]);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).not.toContain("promises:");
    // There is no terminal.
    expect(run.stdout + run.stderr).not.toContain("\u001b");
    expect(run.stdout).toMatch(/promises: 1 kept, 0 broken, .* — PASS \(0\)/);
    expect(await readdir(folder.path)).toEqual(
      expect.arrayContaining(["junit.xml", "report.html", "report.json", "summary.md"]),
    );
    const json = await readFile(join(folder.path, "report.json"), "utf8");
    const report = reportSchema.parse(JSON.parse(json));
    expect([report.seed, report.exitCode, report.only]).toEqual([7, 0, [QUICKEST]]);
  });

  describe("of two groups, with --json", () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let run: CliRun;
    const labels = { commit: "4f1c", stage: "canary", constructor: "x" };
    beforeAll(async () => {
      folder = await temporaryFolder();
      const label = Object.entries(labels).flatMap((pair) => ["--label", pair.join("=")]);
      const args = ["gate", "--only", "timeout,auth", "--report", folder.path, "--seed", "7"];
      run = await runCli([...args, "--json", ...label]);
    }, GROUPS_MS);
    afterAll(() => folder[Symbol.asyncDispose]());

    it("judges what k6 observed, and lets k6 judge nothing", async () => {
      const texts = ["console.log", "summary.txt"].map((suffix) =>
        readFile(join(folder.path, "k6", `timeout.${suffix}`), "utf8"),
      );
      const [console = "", summary = ""] = await Promise.all(texts);
      expect(console).toContain('"type":"observation"');
      expect(console).not.toContain('"type":"finding"');
      expect(summary).toContain("all requests");
      expect(summary).not.toContain("timeout.");
    });

    it(covers("lets no key into any output or file", "48 gate"), async () => {
      const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const texts = files.map((file) => readFile(join(file.parentPath, file.name), "utf8"));
      const written = [run.stdout, run.stderr, ...(await Promise.all(texts))].join("\n");
      const service = await startReference({ seed: 7 });
      await service.close();
      expect(files.length).toBeGreaterThan(3);
      const spellings = service.keys.flatMap(({ value }) => traces(value));
      expect(spellings.filter((each) => written.includes(each))).toEqual([]);
    });

    it("prints nothing but the report on stdout", async () => {
      const report = reportSchema.parse(JSON.parse(run.stdout));
      const ending = hasDoubtfulTimes(report) ? ["none", 111] : ["pass", 0];
      expect([report.verdict, report.exitCode], run.stderr).toEqual(ending);
      expect([report.labels, run.exitCode]).toEqual([labels, report.exitCode]);
      expect(run.stderr).toContain("labels: commit=4f1c, stage=canary, constructor=x");
      expect(await readFile(join(folder.path, "report.json"), "utf8")).toBe(run.stdout);
    });

    it("leaves out the load of another group, and says so", () => {
      const announced = Number(/will submit about (\d+) jobs/.exec(run.stderr)?.[1]);
      // The timeout scenario asks for 30 at the most, the load for hundreds.
      expect(announced).toBeLessThanOrEqual(30);
      const report = reportSchema.parse(JSON.parse(run.stdout));
      expect(report.only).not.toContain("timeout.under-load");
      const left = report.promises.find(({ id }) => id === "timeout.under-load");
      expect(left).toMatchObject({
        verdict: "unobserved",
        reason: expect.stringMatching(
          /left out of the group timeout.*timeout,timeout\.under-load$/,
        ),
      });
      expect(report.notes).toContainEqual(
        expect.stringMatching(/^timeout\.under-load is left out/),
      );
      expect(run.stderr).toMatch(/timeout\.under-load is left out/);
    });
  });

  it("fails with 99 on a fault, and says what was measured", async () => {
    await using folder = await temporaryFolder();
    const fault = "auth.header-case/upper-case-refused";
    const args = ["gate", "--only", QUICKEST, "--report", folder.path, "--fault", fault];
    const run = await runCli(args);
    expect(run.stdout).toMatch(/BROKEN \(1\)[\s\S]*auth\.header-case/);
    expect(run.exitCode, run.stderr).toBe(99);
  });

  it("has no verdict (111) where a promise asked for could not be looked at", async () => {
    await using folder = await temporaryFolder();
    const service = await startReference({ seed: 7 });
    const file = await folder.write(
      "plumbline.yaml",
      `target: { baseUrl: "${service.baseUrl}" }\nkeys: [{ name: only-one, env: THE_KEY }]`,
    );
    const only = `${QUICKEST},load.stable`;
    const args = ["gate", "--target", file, "--only", only, "--report", `${folder.path}/report`];
    const run = await runCli(args, { environment: { THE_KEY: service.keys[0]?.value ?? "" } });
    await service.close();
    expect(run.stdout).toMatch(/the target file has no load section/);
    expect(run.stdout).toMatch(/1 promise asked for and unobserved/);
    expect(run.exitCode).toBe(111);
  });

  it("leaves a partial report when it is interrupted", async () => {
    await using folder = await temporaryFolder();
    const args = ["gate", "--only", "rate", "--report", folder.path];
    const run = await runCli(args, { onStderr: interruptAt("rate-limit: started") });
    expect(run.exitCode, run.stderr).toBe(105);
    expect(run.stdout).toMatch(/INTERRUPTED \(105\)/);
    const json = await readFile(join(folder.path, "report.json"), "utf8");
    expect(reportSchema.parse(JSON.parse(json)).partial).toBe(true);
  });

  it("leaves a partial report when it is interrupted before it began", async () => {
    await using folder = await temporaryFolder();
    const args = ["gate", "--only", "rate", "--report", folder.path];
    const run = await runCli(args, { onStderr: interruptAt("preflight: ") });
    expect(run.exitCode, run.stderr).toBe(105);
    const json = await readFile(join(folder.path, "report.json"), "utf8");
    expect(reportSchema.parse(JSON.parse(json)).partial).toBe(true);
  });
});

/** A busy machine may leave in doubt how long jobs ran; none of the rest hangs on its times. */
function hasDoubtfulTimes({ promises }: Report): boolean {
  return promises.some(({ id, verdict }) => /^timeout\./.test(id) && verdict === "inconclusive");
}

function interruptAt(marker: string) {
  let sent = false;
  return (text: string, child: { kill(signal: NodeJS.Signals): unknown }) => {
    if (sent || !text.includes(marker)) return;
    sent = true;
    child.kill("SIGINT");
  };
}
