/** k6 is run for real: what it prints arrives, what must not be seen stays out, nothing hangs. */

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { formatRecord } from "../../contract/run/evidence.ts";
import { Secret } from "../../contract/text/secret.ts";
import type { RunK6Options } from "../../runner/run-k6.ts";
import type { ScenarioRun } from "../../runner/scenario-process.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { BASE_PLAN } from "./base-plan.ts";
import { k6Here } from "./k6-here.ts";
import { sampleRun } from "./sample-run.ts";
import { ENDED, KEPT, REGISTERED, scriptFile } from "./script-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SECRET = "key-that/nobody+may=see";

beforeAll(async () => void (await k6Here()), 300_000);

interface Ran {
  run: ScenarioRun;
  folder: string;
}

async function runScript(
  lines: readonly string[],
  statements = "",
  changes: Partial<RunK6Options> = {},
): Promise<Ran> {
  const folder = await temporaryFolder();
  const script = await scriptFile(folder, lines, statements);
  const outputDir = path.join(folder, "out");
  const secrets = new Map([["SAMPLE_KEY", new Secret(SECRET)]]);
  const run = await sampleRun({ script, secrets, outputDir, ...changes });
  return { run, folder };
}

describe("runK6", () => {
  it("brings home every record of a scenario that ends", async () => {
    const { run } = await runScript([REGISTERED(["auth.missing-key"]), "no evidence", ENDED]);
    expect(run.records.map(({ type }) => type)).toEqual(["registered", "ended"]);
    expect(run).toMatchObject({ exitCode: 0, timedOut: false, interrupted: false, dropped: 0 });
  });

  it("goes without k6's own metrics in a soak, which would grow with every request", async () => {
    const plan = { ...BASE_PLAN, profile: "soak" } as const;
    const { run, folder } = await runScript([REGISTERED([]), ENDED], "", { plan });
    expect(run).toMatchObject({ exitCode: 0, dropped: 0 });
    expect(await readdir(path.join(folder, "out"))).not.toContain("sample.summary.json");
    expect(run.records.map(({ type }) => type)).toEqual(["registered", "ended"]);
  });

  it("leaves no ended record where a scenario throws", async () => {
    const lines = [REGISTERED(["auth.missing-key"])];
    const { run } = await runScript(lines, 'throw new Error("went wrong");');
    expect(run.records.map(({ type }) => type)).toEqual(["registered"]);
    expect(run.stderrTail).toContain("went wrong");
  });

  it("hands on records while k6 is still running", async () => {
    const controller = new AbortController();
    const { run } = await runScript([REGISTERED([]), KEPT("auth.missing-key")], "sleep(600);", {
      signal: controller.signal,
      onRecord: ({ type }) => {
        if (type === "finding") controller.abort();
      },
    });
    expect(run.interrupted).toBe(true);
    expect(run.exitCode).not.toBe(0);
    expect(run.records).toHaveLength(2);
  });

  it("stops a scenario that exceeds its time limit", async () => {
    const { run } = await runScript([REGISTERED([])], "sleep(600);", { timeLimitMs: 3_000 });
    expect(run.timedOut).toBe(true);
    expect(run.durationMs).toBeLessThan(30_000);
  });

  it("kills a k6 that spins on a syntax and hears no signal", async () => {
    const statements = "(async () => { for await (const x of []) {} })();";
    const { run } = await runScript([REGISTERED([])], statements, {
      timeLimitMs: 1_500,
      stopWaitsMs: { afterInterrupt: 500, afterTerminate: 500 },
    });
    expect(run).toMatchObject({ timedOut: true, exitCode: null, records: [] });
  });

  it(covers("counts evidence that can't be read", "34 gate"), async () => {
    const { run } = await runScript(["plumbline-evidence {broken", ENDED]);
    expect(run.dropped).toBe(1);
    expect(run.records).toHaveLength(1);
  });

  it(
    covers("passes keys by the environment and lets none into records, logs or outputs", "48 gate"),
    async () => {
      const text = "key is ";
      const note = formatRecord({ type: "note", scenario: "sample", text });
      const prefix = note.slice(0, note.indexOf(text) + text.length);
      const print = `console.log(${JSON.stringify(prefix)} + __ENV.SAMPLE_KEY + '"}');`;
      const complain = "console.error(encodeURIComponent(__ENV.SAMPLE_KEY));";
      const fail = "throw new Error(__ENV.SAMPLE_KEY);";
      const { run, folder } = await runScript([ENDED], `${print} ${complain} ${fail}`);
      expect(run.records).toContainEqual({
        type: "note",
        scenario: "sample",
        text: "key is [redacted]",
      });
      const outputs = await readdir(path.join(folder, "out"));
      expect(outputs).toEqual(expect.arrayContaining(["sample.console.log", "sample.log"]));
      const texts = await Promise.all(
        outputs.map((name) => readFile(path.join(folder, "out", name), "utf8")),
      );
      const all = [JSON.stringify(run), ...texts].join("\n");
      expect(all).not.toContain(SECRET);
      expect(all).not.toContain(encodeURIComponent(SECRET));
    },
  );

  it("reads evidence whole that k6 writes in one long line", async () => {
    const text = "ä✓".repeat(150_000);
    const note = formatRecord({ type: "note", scenario: "sample", text });
    const { run } = await runScript([note, ENDED]);
    expect(run.records[0]).toEqual({ type: "note", scenario: "sample", text });
  });

  it("rejects when k6 can't be started", async () => {
    await expect(runScript([], "", { k6Path: "/nowhere/k6" })).rejects.toThrow("ENOENT");
  });
});
