/** A simulated run leaves the records of a real one: judged again, they end the same. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../contract/evidence.ts";
import type { RunResult } from "../../contract/run-result.ts";
import type { Recording } from "../../gate/recording.ts";
import { readRecording } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import type { Simulation } from "../../simulation/simulated-gate.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

async function recorded(
  simulation: Simulation,
): Promise<{ result: RunResult; text: string; recording: Recording }> {
  let text = "";
  const record = async (lines: string) => {
    text += lines;
  };
  const result = await simulateGate({ ...simulation, record });
  return { result, text, recording: readRecording(text) };
}

/** What k6 made of its observations, and what Node made of the same records. */
function judgedIn(records: readonly EvidenceRecord[]): readonly EvidenceRecord[] {
  return records.filter((record) => "judged" in record);
}

const CASES: [title: string, simulation: Simulation][] = [
  ["a healthy service of variant A", { seed: 11, service: { variant: "A" } }],
  ["a healthy service of variant B", { seed: 12, service: { variant: "B" } }],
  [
    "an allowance that keys share",
    { seed: 13, service: { faults: ["rate.per-key/shared-by-account"] }, only: ["rate.per-key"] },
  ],
  [
    "a second retry that comes early",
    { seed: 14, service: { faults: ["webhook.wait-2/3-s-early"] }, only: ["webhook.wait-2"] },
  ],
  [
    "a limit that fires late",
    {
      seed: 15,
      service: { faults: ["timeout.not-late/25-percent-late"] },
      only: ["timeout.not-late"],
    },
  ],
];

describe.each(CASES)("the records of %s", (_, simulation) => {
  it("give the same result when they are judged again", async () => {
    const { result, recording } = await recorded(simulation);
    expect(JSON.stringify(resultOf(recording))).toBe(JSON.stringify(result));
  });

  it("are judged in Node as in the scenario", async () => {
    const { recording } = await recorded(simulation);
    for (const { raw, records } of recording.runs) {
      expect(judgedIn(records)).toEqual(judgedIn(raw));
      expect(raw.some(({ type }) => type === "observation")).toBe(judgedIn(raw).length > 0);
    }
  });
});

describe("a file of evidence", () => {
  it("begins with what was run, and holds no key", async () => {
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

  it("counts as interrupted where its end is missing", async () => {
    const { text } = await recorded({ seed: 17, only: ["timeout.free"] });
    const lines = text.trimEnd().split("\n").slice(0, -1);
    expect(resultOf(readRecording(lines.join("\n"))).interrupted).toBe(true);
  });

  it.each([
    ["", "line 1: does not tell what was run"],
    ['{"type":"run","schemaVersion":1}', "line 1: schemaVersion is 1; expected 2"],
    ['{"type":"run","schemaVersion":2}\n{"type":"ended"}', 'line 2: "ended" before any scenario'],
    ['{"type":"run","schemaVersion":2}\n{"type":', "line 2: no JSON"],
    [
      '{"type":"run","schemaVersion":2}\n{"type":"observation","version":99}',
      "line 2: no JSON, or a record of another version",
    ],
  ])("is refused with the line that is wrong: %s", (text, message) => {
    expect(() => readRecording(text)).toThrow(message);
  });
});
