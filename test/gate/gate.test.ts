/** The whole gate with the real k6, on scenarios made to end in every way. */

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { formatRecord } from "../../contract/run/evidence.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import { Secret } from "../../contract/text/secret.ts";
import { runGate } from "../../gate/gate.ts";
import type { GateEvent, GateOptions } from "../../gate/options.ts";
import { readRecording } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import type { K6Binary } from "../../runner/find-k6.ts";
import { findingOf } from "../contract/findings.ts";
import { k6Here } from "../runner/k6-here.ts";
import { ENDED, KEPT, PROGRESS, REGISTERED, SETTLED, scriptFile } from "../runner/script-file.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";
import { BASE_TARGET } from "./base-target.ts";

const A = "auth.missing-key";
const B = "auth.invalid-key";

/** Long enough for another k6 to start in the meantime, on a busy machine as well. */
const WAIT_LONG = "sleep(8);";

let k6: K6Binary;
beforeAll(async () => {
  k6 = await k6Here();
}, 300_000);

interface Sample {
  name: string;
  promises: readonly PromiseId[];
  lines: readonly string[];
  statements?: string;
}

async function gate(samples: readonly Sample[], changes: Partial<GateOptions> = {}) {
  const folder = await temporaryFolder();
  const events: GateEvent[] = [];
  const scenarios = await Promise.all(
    samples.map(async ({ name, promises, lines, statements }) => {
      return { name, promises, script: await scriptFile(folder, lines, statements), jobs: 4 };
    }),
  );
  const result = await runGate({
    target: BASE_TARGET,
    secrets: new Map(),
    profile: "quick",
    only: [A, B],
    seed: 7,
    outputDir: path.join(folder, "report"),
    k6,
    scenarios,
    signal: new AbortController().signal,
    onProgress: (event) => events.push(event),
    onPlanned: () => undefined,
    ...changes,
  });
  return { result, events, file: path.join(folder, "report", "evidence.jsonl") };
}

function verdictOf({ findings }: RunResult, id: PromiseId) {
  return findingOf(findings, id).verdict;
}

describe("runGate", () => {
  it("returns what a scenario saw, and that nothing else was asked for", async () => {
    const lines = [REGISTERED([A, B]), KEPT(A), KEPT(B), ENDED];
    const { result, events } = await gate([{ name: "sample", promises: [A, B], lines }]);
    expect(verdictOf(result, A)).toBe("kept");
    expect(result.findings.filter(({ verdict }) => verdict === "kept")).toHaveLength(2);
    expect(result.findings).toHaveLength(PROMISE_IDS.length);
    expect(result).toMatchObject({ interrupted: false, seed: 7, tool: { k6: k6.version } });
    expect(events.map(({ type }) => type)).toEqual([
      "run-started",
      "finding",
      "finding",
      "run-ended",
    ]);
  });

  it("writes its evidence to a file of its owner, without keys, to be judged again", async () => {
    const text = "the key is a-secret-value";
    const note = formatRecord({ type: "note", scenario: "sample", text });
    const lines = [REGISTERED([A, B]), KEPT(A), note, ENDED];
    const { result, file } = await gate([{ name: "sample", promises: [A, B], lines }], {
      secrets: new Map([["KEY", new Secret("a-secret-value")]]),
    });
    const written = await readFile(file, "utf8");
    expect(written).not.toContain("a-secret-value");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(resultOf(readRecording(written))).toEqual(result);
  });

  it("tells how many jobs it will submit before anything is run", async () => {
    const told: (number | string)[] = [];
    await gate([{ name: "sample", promises: ["job.shape"], lines: [] }], {
      only: ["job.shape"],
      onPlanned: ({ expected }) => told.push(expected),
      onProgress: ({ type }) => told.push(type),
    });
    expect(told.slice(0, 2)).toEqual([4, "run-started"]);
  });

  it("starts a run once the one that it waits for has settled, and not ended", async () => {
    const order: string[] = [];
    const webhook = "webhook.once";
    const settled = [REGISTERED([webhook]), SETTLED];
    await gate(
      [
        { name: "watching", promises: [webhook], lines: settled, statements: WAIT_LONG },
        { name: "second", promises: [A], lines: [REGISTERED([A]), KEPT(A), ENDED] },
      ],
      {
        only: [webhook, A],
        onProgress: ({ type, run }) => order.push(`${run} ${type}`),
      },
    );
    const at = (event: string) => order.indexOf(event);
    expect(at("second run-started")).toBeLessThan(at("watching run-ended"));
    expect(at("second run-started")).toBeGreaterThan(at("watching run-started"));
  });

  it("is never green on a scenario that throws", async () => {
    const lines = [REGISTERED([A, B]), KEPT(A)];
    const statements = 'throw new Error("went wrong");';
    const { result, events } = await gate([
      { name: "sample", promises: [A, B], lines, statements },
    ]);
    expect(verdictOf(result, A)).toBe("inconclusive");
    expect(verdictOf(result, B)).toBe("inconclusive");
    expect(result.findings[0]?.reason).toMatch(/scenario sample died .*went wrong/);
    expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "crashed" });
  });

  it("is never green on a script that does not even load", async () => {
    const lines: string[] = [];
    const { result } = await gate([{ name: "bad", promises: [A], lines, statements: "}" }]);
    expect(verdictOf(result, A)).toBe("inconclusive");
  });

  it("returns what was seen before an interruption", async () => {
    const controller = new AbortController();
    const lines = [REGISTERED([A, B]), KEPT(A), PROGRESS];
    const sample = { name: "sample", promises: [A, B], lines, statements: "sleep(600);" } as const;
    const { result } = await gate([sample], {
      signal: controller.signal,
      onProgress: ({ type }) => {
        if (type === "progress") controller.abort();
      },
    });
    expect(result.interrupted).toBe(true);
    expect(verdictOf(result, A)).toBe("kept");
    expect(verdictOf(result, B)).toBe("unobserved");
  });

  it("rejects when k6 can't be started, and stops what else is running", async () => {
    const sample = { name: "sample", promises: [A], lines: [REGISTERED([A])] } as const;
    await expect(gate([sample], { k6: { path: "/nowhere/k6", version: "2.2.0" } })).rejects.toThrow(
      "ENOENT",
    );
  });
});
