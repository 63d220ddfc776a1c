/** What the comparison with a baseline adds to a report: sentences, and whether they fail it. */

import { z } from "zod";

import type { Report } from "./model.ts";

/** Group of a report's measurements with that comparison: one entry a figure, or one reason. */
export const BASELINE_GROUP = "baseline";

const entry = z.object({
  /** null: nothing was compared, for the reason that the text gives. */
  figure: z.string().nullable(),
  verdict: z.enum(["better", "worse", "no difference found", "not compared"]),
  text: z.string(),
  /** Whether this entry makes the run fail. */
  fails: z.boolean(),
});

export type BaselineEntry = z.infer<typeof entry>;

/** In the order in which they were measured; none where no baseline was given. */
export function baselineEntries({ measurements }: Report): BaselineEntry[] {
  return (measurements[BASELINE_GROUP] ?? []).flatMap((value) => {
    const parsed = entry.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

/** A pass becomes a failure where a figure got worse and that is to fail; nothing else changes. */
export function withBaselineVerdict(report: Report): Report {
  const failing = baselineEntries(report).filter(({ fails }) => fails);
  if (failing.length === 0 || report.exitCode !== 0) return report;
  const names = failing.map(({ figure }) => figure).join(", ");
  const verdictReason = `worse than the baseline: ${names}`;
  return { ...report, verdict: "fail", verdictReason, exitCode: 99 };
}
