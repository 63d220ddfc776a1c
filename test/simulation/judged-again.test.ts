/** A simulated run leaves the records of a real one: judged again, they end the same. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { DEFAULT_TOLERANCES } from "../../contract/run/run-plan.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Recording } from "../../gate/recording.ts";
import { readRecording } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import { createKeys } from "../../reference/accounts/keys.ts";
import type { Simulation } from "../../simulation/simulated-gate.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { findingOf } from "../contract/findings.ts";
import { drawnCases } from "../drawn-cases.ts";

interface Recorded {
  result: RunResult;
  text: string;
  recording: Recording;
}

/** By seed: each is recorded once, however many tests read it. */
const made = new Map<number, Promise<Recorded>>();

function recorded(simulation: Simulation): Promise<Recorded> {
  const one = made.get(simulation.seed) ?? record(simulation);
  made.set(simulation.seed, one);
  return one;
}

async function record(simulation: Simulation): Promise<Recorded> {
  let text = "";
  const sink = async (lines: string) => {
    text += lines;
  };
  const result = await simulateGate({ ...simulation, record: sink, judgesTwice: true });
  return { result, text, recording: readRecording(text) };
}

/** What k6 made of its observations, and what Node made of the same records. */
function judgedIn(records: readonly EvidenceRecord[]): readonly EvidenceRecord[] {
  return records.filter((record) => "judged" in record);
}

const EARLY_RETRY: Simulation = {
  seed: 14,
  service: { faults: ["webhook.wait-2/3-s-early"] },
  only: ["webhook.wait-2"],
};

type Case = [title: string, simulation: Simulation];

const HEALTHY: readonly Case[] = [
  ["a healthy service of variant A", { seed: 11, service: { variant: "A" } }],
  ["a healthy service of variant B", { seed: 12, service: { variant: "B" } }],
];

const CASES: readonly Case[] = [
  ...drawnCases("healthy", HEALTHY, 2),
  [
    "an allowance that keys share",
    { seed: 13, service: { faults: ["rate.per-key/shared-by-account"] }, only: ["rate.per-key"] },
  ],
  ["a second retry that comes early", EARLY_RETRY],
  [
    "a limit that fires late",
    {
      seed: 15,
      service: { faults: ["timeout.not-late/25-percent-late"] },
      only: ["timeout.not-late"],
    },
  ],
  [
    "jobs that are lost under load",
    {
      seed: 18,
      surroundings: SURROUNDINGS.office,
      service: { faults: ["load.no-losses/1-in-1000"] },
      only: ["load.no-losses", "load.accounting", "load.stable", "timeout.under-load"],
    },
  ],
  [
    "a cancel whose method is to be found, and which stops running jobs",
    {
      seed: 19,
      service: { variant: "A", faults: ["cancel.not-running/cancelled"] },
      only: ["cancel.queued", "cancel.not-running", "job.never-lost", "submit.asynchronous"],
      target: (target) => ({ ...target, cancel: { method: "auto", body: null } }),
    },
  ],
  [
    "a service of which little is known",
    { seed: 20, profile: "quick", target: (target) => ({ ...target, workers: {}, load: null }) },
  ],
];

describe.each(CASES)("the records of %s", (_, simulation) => {
  const once = () => recorded(simulation);

  it("give the same result when they are judged again", async () => {
    const { result, recording } = await once();
    expect(JSON.stringify(resultOf(recording))).toBe(JSON.stringify(result));
  });

  it("are judged in Node as in the scenario, from what was observed alone", async () => {
    const { result, text, recording } = await once();
    for (const { raw, records } of recording.runs) {
      expect(judgedIn(records)).toEqual(judgedIn(raw));
      expect(raw.some(({ type }) => type === "observation")).toBe(true);
    }
    const seen = text.split("\n").filter((line) => !line.includes('"judged":true'));
    expect(seen.some((line) => line.startsWith('{"type":"finding"'))).toBe(false);
    expect(JSON.stringify(resultOf(readRecording(seen.join("\n"))))).toBe(JSON.stringify(result));
  });

  it(covers("hold neither key nor secret", "48 gate"), async () => {
    const { text } = await once();
    const { seed } = simulation;
    const canaries = [`reference-signing-secret-${seed}`, ...createKeys(seed).map((k) => k.value)];
    expect(canaries.length).toBeGreaterThan(3);
    for (const canary of canaries) expect(text).not.toContain(canary);
  });
});

describe("a file of evidence", () => {
  it("begins with what was run", async () => {
    const { text } = await recorded({ seed: 16, only: ["rate.per-key"] });
    const [first = ""] = text.split("\n");
    expect(JSON.parse(first)).toMatchObject({
      type: "run",
      schemaVersion: 2,
      profile: "standard",
      seed: 16,
      tool: { k6: "simulated" },
      plan: { seed: 16, promises: ["rate.per-key"] },
    });
  });

  it("is judged by other tolerances where some are given", async () => {
    const { result, text } = await recorded(EARLY_RETRY);
    const verdictOf = ({ findings }: RunResult) => findingOf(findings, "webhook.wait-2").verdict;
    const lax = { ...DEFAULT_TOLERANCES, webhookWaitEarlyMs: 4_000 };
    expect(verdictOf(result)).toBe("broken");
    expect(verdictOf(resultOf(readRecording(text, lax)))).toBe("kept");
  });

  const whole = () => recorded({ seed: 17, only: ["timeout.free"] });

  it(covers("counts as interrupted where its end is missing", "34 gate"), async () => {
    const { text } = await whole();
    const lines = text.trimEnd().split("\n").slice(0, -1);
    const { interrupted, startedAtMs, finishedAtMs } = resultOf(readRecording(lines.join("\n")));
    expect(interrupted).toBe(true);
    expect(finishedAtMs - startedAtMs).toBeGreaterThan(1_000);
  });

  it(covers("leaves unobserved what was cut off with its end", "34 gate"), async () => {
    const { text } = await whole();
    const lines = text.split("\n");
    const scenarioAt = lines.findIndex((line) => line.startsWith('{"type":"scenario"'));
    for (const kept of [scenarioAt, scenarioAt + 1]) {
      const { findings } = resultOf(readRecording(lines.slice(0, kept).join("\n")));
      const { verdict, reason } = findingOf(findings, "timeout.free");
      expect([verdict, reason]).toEqual(["unobserved", "interrupted"]);
    }
  });

  it(covers("counts as interrupted where its last line is torn", "34 gate"), async () => {
    const { text } = await whole();
    const torn = text.slice(0, -100);
    expect(resultOf(readRecording(torn)).interrupted).toBe(true);
  });

  it.each([
    ["", "line 1: does not tell what was run"],
    ['{"type":"run","schemaVersion":1}', "line 1: schemaVersion is 1; expected 2"],
    ['{"type":"run","schemaVersion":2}\n{"type":"ended"}', 'line 2: "ended" before any scenario'],
    ['{"type":"run","schemaVersion":2}\n{"type":\n', "line 2: no record"],
    ['{"type":"run","schemaVersion":2}\n"ended"\n', "line 2: no record"],
    ['{"type":"run","schemaVersion":2}\n{"type":"foreign"}\n', "line 2: of no type that is"],
    [
      '{"type":"run","schemaVersion":2}\n{"type":"observation","version":1}',
      "line 2: no record, or one of another version",
    ],
  ])("is refused with the line that is wrong: %s", (text, message) => {
    expect(() => readRecording(text)).toThrow(message);
  });
});
