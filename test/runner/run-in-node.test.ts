/** A load in Node is a process of its own: it leaves evidence, and is stopped, as k6 is. */

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { Secret } from "../../contract/text/secret.ts";
import { runInNode } from "../../runner/run-in-node.ts";
import type { ScenarioOptions } from "../../runner/scenario-process.ts";
import { serveBytes } from "../http/serve.ts";
import { BASE_LOAD, BASE_PLAN } from "./base-plan.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SECRET = "key-that/nobody+may=see";

async function run(scenario: string, changes: Partial<ScenarioOptions> = {}) {
  const outputDir = path.join(await temporaryFolder(), "out");
  const ran = await runInNode(
    {
      name: "sample",
      plan: BASE_PLAN,
      secrets: new Map([["SAMPLE_KEY", new Secret(SECRET)]]),
      timeLimitMs: 100_000,
      signal: new AbortController().signal,
      onRecord: () => {},
      outputDir,
      ...changes,
    },
    scenario,
  );
  return { ran, outputDir };
}

/** A load that waits for a receiver that never answers, which stops it once it is asked. */
async function waiting(stop: AbortController): Promise<Pick<ScenarioOptions, "plan" | "secrets">> {
  const url = await serveBytes(() => stop.abort());
  const receiver: ReceiverAccess = {
    publicUrl: url,
    refusingUrl: url,
    queryUrl: url,
    querySecretEnv: "SAMPLE_SECRET",
    tokenPrefix: "sample",
    signature: { header: "x-signature", scheme: "present" },
  };
  const secrets = new Map([["SAMPLE_SECRET", new Secret(SECRET)]]);
  return { plan: { ...BASE_PLAN, receiver, load: BASE_LOAD }, secrets };
}

describe("runInNode", () => {
  it("brings home what a scenario leaves that has nothing to send", async () => {
    const { ran, outputDir } = await run("machine");
    const types = ran.records.map(({ type }) => type);
    expect(types).toEqual([
      "registered",
      "observation",
      "note",
      "silences",
      "charges",
      "spent",
      "ended",
    ]);
    expect(ran).toMatchObject({ exitCode: 0, timedOut: false, interrupted: false, dropped: 0 });
    expect(await readdir(outputDir)).toContain("sample.console.log");
  });

  it("says which scenarios there are where it is asked for another", async () => {
    const { ran } = await run("webhook");
    expect(ran).toMatchObject({ exitCode: 1, records: [] });
    expect(ran.stderrTail).toContain('no scenario "webhook" runs in Node; expected one of: soak');
  });

  it("ends when it is told to", async () => {
    const stop = new AbortController();
    const { ran } = await run("machine", { ...(await waiting(stop)), signal: stop.signal });
    expect(ran.interrupted).toBe(true);
    expect(ran.records.map(({ type }) => type)).toEqual(["registered"]);
  });

  it("is stopped at its time limit", async () => {
    const { ran } = await run("machine", { timeLimitMs: 1 });
    expect(ran).toMatchObject({ timedOut: true, records: [] });
  });

  it("leaves no key in what it keeps", async () => {
    const { ran, outputDir } = await run(`no-${SECRET}`);
    expect(ran.exitCode).toBe(1);
    expect(ran.stderrTail).not.toContain(SECRET);
    for (const name of await readdir(outputDir)) {
      expect(await readFile(path.join(outputDir, name), "utf8"), name).not.toContain(SECRET);
    }
  });
});
