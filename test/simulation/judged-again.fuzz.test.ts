/** Whatever a file of evidence holds: it gives a report, or is told to be another file. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgedFrom, reportFrom } from "../../cli/gate/judged-evidence.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { formatRecord } from "../../contract/run/evidence.ts";
import { readRecording } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import { recordingOfShares } from "../../gate/shared-load.ts";
import { buildReport } from "../../report/build-report.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { EvidenceReader } from "../../runner/evidence-reader.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { spoilt, withOtherValue } from "../spoilt.ts";

/** Ours: some of each shape that a record has, of few jobs, as each try judges all of it. */
const ONLY = ["timeout.free", "job.cost", "rate.retry-after-present"] as const;
const STYLE = { color: false, width: 100, live: false, whole: true, verbose: true };

let made: Promise<string> | null = null;
function evidence(): Promise<string> {
  made ??= (async () => {
    let text = "";
    const record = async (lines: string) => {
      text += lines;
    };
    await simulateGate({ seed: 21, profile: "quick", only: ONLY, record, judgesTwice: true });
    return text;
  })();
  return made;
}

/** How `plumbline judge` reads the text: the report in words; or what it says of the file. */
function judged(text: string): string {
  try {
    const report = reportFrom("evidence.jsonl", () => {
      return buildReport(resultOf(readRecording(text)), { strict: false, labels: {} });
    });
    return renderTerminal(report, STYLE);
  } catch (error) {
    return problemIn(error);
  }
}

function problemIn(error: unknown): string {
  if (!(error instanceof UsageError)) throw error;
  for (const problem of error.problems) expect(problem).toMatch(/^"evidence.jsonl": .*expected/);
  return error.message;
}

const HOW: [name: string, change: (text: string) => fc.Arbitrary<string>, numRuns: number][] = [
  ["spoilt", (text) => spoilt(fc.constant(text)), 60],
  ["with another value somewhere", (text) => withOtherValue(text.trimEnd().split("\n")), 25],
  [
    "of another run",
    (text) => {
      const [head = "", ...rest] = text.trimEnd().split("\n");
      return withOtherValue([head]).map((other) => [other, ...rest].join("\n"));
    },
    25,
  ],
];

describe("a file of evidence", () => {
  it.each(HOW)("%s gives a report, or is told to be none", async (_, change, numRuns) => {
    const holds = fc.property(change(await evidence()), (text) => void judged(text));
    fc.assert(holds, { seed: 20_260_105, numRuns });
  });

  it("of a load whose shards left other lines gives a report, or is told to be none", async () => {
    const { head, runs } = readRecording(await evidence());
    const [{ scenario, raw } = { scenario: null, raw: [] }] = runs;
    if (scenario === null) throw new Error("nothing was run");
    const console = raw.map(formatRecord).join("\n");
    const holds = fc.property(spoilt(fc.constant(console)), (text) => {
      const reader = new EvidenceReader(
        (line) => line,
        () => {},
      );
      for (const line of text.split("\n")) reader.readLine(line);
      try {
        const file = "evidence.jsonl";
        const recording = judgedFrom(file, () => recordingOfShares({ head, scenario }, [reader]));
        reportFrom(file, () => buildReport(resultOf(recording), { strict: false, labels: {} }));
      } catch (error) {
        problemIn(error);
      }
    });
    fc.assert(holds, { seed: 20_260_106, numRuns: 25 });
  });

  /** What was found so: each had ended `plumbline judge` with an internal error. */
  it.each([
    ["a line that is a word", (text: string) => `${text}"word"\n`, /no record/],
    ["a line of an unknown type", (text: string) => `${text}{"type":"x"}\n`, /of no type/],
    [
      "no time",
      (text: string) => text.replace('"startedAtMs":', '"startedAt":'),
      /can't be judged/,
    ],
    [
      "roles of no keys",
      (text: string) => text.replaceAll('"limited":[', '"limited":7,"x":['),
      /judged/,
    ],
    ["a seed of words", (text: string) => text.replace('"seed":21', '"seed":"x"'), /seed: /],
  ])("with %s is told to be none", async (_, change, why) => {
    expect(judged(change(await evidence()))).toMatch(why);
  });
});
