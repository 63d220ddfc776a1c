/** Reads and writes the file that a baseline lives in: plain JSON, in a repository or a cache. */

import { existsSync } from "node:fs";
import type { BaselineComparison, FigureComparison } from "../../capacity/baseline/judge.ts";
import type { Baseline } from "../../capacity/baseline/model.ts";
import { baselineSchema, EMPTY_BASELINE } from "../../capacity/baseline/model.ts";
import type { BaselineEntry } from "../../report/baseline.ts";
import { prepareFile, replaceFile } from "../../report/report-directory.ts";
import { evidenceText, jsonText } from "../../report/text.ts";
import { readJsonFile } from "./json-file.ts";

/** An empty one where there is no file yet. Throws UsageError for a file that is something else. */
export async function readBaseline(file: string): Promise<Baseline> {
  if (!existsSync(file)) return EMPTY_BASELINE;
  return await readJsonFile(file, baselineSchema, "a baseline of plumbline baseline accept");
}

export async function writeBaseline(file: string, baseline: Baseline): Promise<void> {
  await prepareFile(file);
  await replaceFile(file, jsonText(baseline));
}

/** The comparison as a report carries it; `failing`: a figure that got worse fails the run. */
export function entriesOf(
  comparison: BaselineComparison,
  failing: boolean,
): (BaselineEntry & Record<string, string | number | boolean | null>)[] {
  if (comparison.kind === "not compared") {
    const { kind, reason } = comparison;
    return [{ figure: null, verdict: kind, text: `not compared, ${reason}`, fails: false }];
  }
  const { accepted, recent } = comparison;
  const runs = `${recent} runs against ${accepted} accepted`;
  return comparison.figures.map((figure) => ({
    ...figure,
    figure: figure.name,
    text: `${sentenceOf(figure)} (${runs})`,
    fails: failing && figure.verdict === "worse",
  }));
}

/** "submit p95 worse: median 12 ms, accepted 8 ms, shift 4 ms, p 0.0002, delta 0.95". */
function sentenceOf(figure: FigureComparison): string {
  const unit = figure.unit === "jobs/s" ? " jobs/s" : "";
  const name = figure.unit === "ms" ? "valueMs" : "value";
  const text = (value: number) => `${evidenceText(name, value)}${unit}`;
  const { recent, accepted, shift, probability, delta } = figure;
  const levels = `median ${text(recent)}, accepted ${text(accepted)}, shift ${text(shift)}`;
  const chance = `p ${probability.toPrecision(2)}, delta ${delta.toFixed(2)}`;
  return `${figure.name} ${figure.verdict}: ${levels}, ${chance}`;
}
